---- MODULE ErrorInitReadBeforeAssignment ----
\* A variable that Init reads before it is assigned.
EXTENDS Integers
VARIABLES x, y
Init == y = x + 1 /\ x = 1
Next == UNCHANGED <<x, y>>
====
