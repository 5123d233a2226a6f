---- MODULE CfgSubstitution ----
\* Constants and definitions replaced by definitions.
EXTENDS Integers
CONSTANTS Limit, Op(_)
Range == 0..1000000
VARIABLE x
Init == x \in Range
Next == x' = Op(x)
Three == 3
SmallRange == 0..Limit
Rotate(n) == (n + 1) % (Limit + 1)
====
