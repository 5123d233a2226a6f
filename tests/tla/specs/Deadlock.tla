---- MODULE Deadlock ----
\* A state without successors is reported, unless the check is off.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 3 /\ x' = x + 1
====
