---- MODULE ErrorChooseNone ----
\* CHOOSE without a witness.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = CHOOSE n \in 1..3 : n > x + 2
====
