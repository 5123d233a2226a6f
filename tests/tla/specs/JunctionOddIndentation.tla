---- MODULE JunctionOddIndentation ----
\* Items need only share a column; what follows an item may start on any later column.
EXTENDS Integers
VARIABLE x
Init ==
                /\ x = 0
                /\ TRUE
Step == /\ x
            < 2
        /\ x' =
                 x
               + 1
Back ==   /\ x = 2 /\ x' = 0
Next == \/ Step
        \/ Back
Mixed == /\ TRUE \/ FALSE
         /\ IF x = 0
              THEN /\ TRUE
                   /\ TRUE
              ELSE \/ FALSE
                   \/ x > 0
Left ==
/\ TRUE
/\ TRUE
Inv == Mixed /\ Left
====
