---- MODULE ActionComposition ----
\* A \cdot B is a step of A followed by a step of B.
EXTENDS Integers
VARIABLE x
Inc == x < 9 /\ x' = x + 1
Double == x' = 2 * x
Init == x = 1
Next == x < 6 /\ (Inc \cdot Double)
====
