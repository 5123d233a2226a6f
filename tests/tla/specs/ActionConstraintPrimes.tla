---- MODULE ActionConstraintPrimes ----
\* An action constraint over two variables.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x' = x + 1 /\ y' = y
        \/ y' = y + 1 /\ x' = x
Close == x' - y' \in -1..1
Bound == x + y < 4
====
