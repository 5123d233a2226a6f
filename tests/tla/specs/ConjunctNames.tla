---- MODULE ConjunctNames ----
\* A conjunct of a definition is named by its number.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Inv == /\ x >= 0
       /\ x < 2
First == Inv!1
Second == Inv!2
====
