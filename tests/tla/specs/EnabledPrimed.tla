---- MODULE EnabledPrimed ----
\* ENABLED of an action that constrains other variables.
EXTENDS Integers
VARIABLES a, b
Both == a' = a + 1 /\ b' = b - 1 /\ b' >= 0
Init == a = 0 /\ b = 2
Next == Both
Inv == (ENABLED Both) = (b > 0)
Stuck == ~ENABLED Next
====
