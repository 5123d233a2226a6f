---- MODULE AssignedTwice ----
\* A second assignment is a test: it holds or the step does not exist.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \/ x' = 1 /\ x' = 1
        \/ x' = 2 /\ x' = 3
====
