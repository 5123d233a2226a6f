---- MODULE ErrorCaseNoMatch ----
\* A CASE in which no guard holds.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == x' = CASE x = 1 -> 2 [] x = 3 -> 4
====
