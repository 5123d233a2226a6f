---- MODULE CfgOperatorValues ----
\* An operator constant defined point by point.
EXTENDS Integers
CONSTANT Next_(_)
VARIABLE x
Init == x = 1
Next == x' = Next_(x)
====
