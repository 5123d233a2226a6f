---- MODULE ErrorArithmeticType ----
\* Adding a string.
EXTENDS Integers
VARIABLE x
Init == x = "one"
Next == x' = x + 1
====
