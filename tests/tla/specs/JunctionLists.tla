---- MODULE JunctionLists ----
\* Bulleted lists: nesting by column, lists inside lists, operators after a list.
EXTENDS Integers
VARIABLE x
A == /\ \/ FALSE
        \/ TRUE
     /\ \/ /\ TRUE
           /\ TRUE
        \/ FALSE
B == \/ /\ TRUE
        /\ FALSE
     \/ /\ FALSE
        /\ TRUE
C == /\ TRUE
     /\ FALSE => FALSE
D == \/ FALSE
     \/ 1 +
        1 = 2
E == /\ \A i \in 1..2 :
          \/ i = 1
          \/ i = 2
     /\ TRUE
Init == x = 0
Next ==
  \/ /\ x < 3
     /\ x' = x + 1
  \/ /\ x = 3
     /\ x' = 0
Inv == A /\ ~B /\ C /\ D /\ E
====
