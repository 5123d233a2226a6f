---- MODULE ErrorUnassigned ----
\* A step that leaves a variable open.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1
====
