---- MODULE CfgInvariantLists ----
\* Several INVARIANT sections with several names each.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 5
A == x >= 0
B == x < 9
C == x # 7
D == x < 4
====
