---- MODULE Constraints ----
\* CONSTRAINT: states outside are not explored, but counted as generated; invariants are still checked on them.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x + 1 \/ x' = x + 2
Bound == x <= 5
Even == x % 2 = 0
Within == x <= 7
Inside == x <= 5
====
