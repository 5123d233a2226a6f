---- MODULE ErrorConstraintValue ----
\* A constraint that is no truth value.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x + 1
Bound == x
====
