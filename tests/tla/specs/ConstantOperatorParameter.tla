---- MODULE ConstantOperatorParameter ----
\* An operator constant with two parameters, replaced in the configuration.
EXTENDS Integers
CONSTANT Merge(_, _)
Plus(a, b) == a + b
VARIABLE x
Init == x = 1
Next == x < 8 /\ x' = Merge(x, x)
====
