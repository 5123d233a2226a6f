---- MODULE ErrorPrimedInit ----
\* A primed variable in the initial predicate.
EXTENDS Integers
VARIABLE x
Init == x = 0 /\ x' = 0
Next == x' = 0
====
