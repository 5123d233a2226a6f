---- MODULE ErrorUndefined ----
\* An operator that nobody defines.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = Frobnicate(x)
====
