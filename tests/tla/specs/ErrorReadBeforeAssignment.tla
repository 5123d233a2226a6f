---- MODULE ErrorReadBeforeAssignment ----
\* A primed variable that is read before it is assigned.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ y' = x' + 1
        /\ x' = 1
====
