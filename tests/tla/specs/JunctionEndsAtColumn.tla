---- MODULE JunctionEndsAtColumn ----
\* A token left of the bullets' column ends the list.
EXTENDS Integers
P == (    /\ FALSE
          /\ FALSE
     ) \/ TRUE
Q == LET a == /\ TRUE
              /\ FALSE
     IN a \/ TRUE
R == {n \in 1..3 : /\ n > 1
                   /\ n < 3}
S == <<  \/ FALSE
         \/ TRUE, 5>>
ASSUME P /\ Q
ASSUME R = {2}
ASSUME S = <<TRUE, 5>>
====
