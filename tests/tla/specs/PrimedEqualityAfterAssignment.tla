---- MODULE PrimedEqualityAfterAssignment ----
\* x' = e with x' assigned already compares.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ x' \in 0..2
        /\ y' = x'
        /\ x' = (y + 1) % 3
====
