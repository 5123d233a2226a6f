---- MODULE ConstraintInitial ----
\* CONSTRAINT applies to initial states.
EXTENDS Integers
VARIABLE x
Init == x \in 0..9
Next == x' = x
Bound == x < 4
====
