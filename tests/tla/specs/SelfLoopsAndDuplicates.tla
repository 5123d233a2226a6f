---- MODULE SelfLoopsAndDuplicates ----
\* Self loops count as generated and never as deadlock.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x \/ (x < 2 /\ x' = x + 1)
====
