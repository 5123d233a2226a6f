---- MODULE DeadlockNearest ----
\* The shortest way to a deadlock is reported.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \/ x < 6 /\ x' = x + 1
        \/ x = 1 /\ x' = 10
====
