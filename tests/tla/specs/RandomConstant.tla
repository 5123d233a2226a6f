---- MODULE RandomConstant ----
\* A constant definition is evaluated once, even if it is random.
EXTENDS Integers, TLC
Pick == RandomElement(1..1000000)
VARIABLE x
Init == x = Pick
Next == x' = Pick
Inv == x = Pick
====
