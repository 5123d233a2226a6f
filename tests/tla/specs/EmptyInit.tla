---- MODULE EmptyInit ----
\* A specification without initial states has an empty state space.
EXTENDS Integers
VARIABLE x
Init == x \in 1..3 /\ x > 5
Next == x' = x + 1
====
