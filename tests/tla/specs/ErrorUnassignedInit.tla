---- MODULE ErrorUnassignedInit ----
\* An initial predicate that leaves a variable open.
EXTENDS Integers
VARIABLES x, y
Init == x = 0
Next == UNCHANGED <<x, y>>
====
