---- MODULE ErrorApplyNumber ----
\* A number is no function.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == x' = x[1]
====
