---- MODULE ErrorPrimedInvariant ----
\* A primed variable in an invariant.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = 0
Inv == x' = 0
====
