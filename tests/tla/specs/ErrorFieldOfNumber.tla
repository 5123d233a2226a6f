---- MODULE ErrorFieldOfNumber ----
\* A number has no fields.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == x' = x.a
====
