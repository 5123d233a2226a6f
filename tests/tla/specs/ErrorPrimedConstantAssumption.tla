---- MODULE ErrorPrimedConstantAssumption ----
\* A variable in an assumption.
EXTENDS Integers
VARIABLE x
ASSUME x = 0
Init == x = 0
Next == x' = 0
====
