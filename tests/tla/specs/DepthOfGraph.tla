---- MODULE DepthOfGraph ----
\* Depth is that of a breadth-first search, whatever the order of disjuncts.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \/ x < 8 /\ x' = x + 1
        \/ x < 8 /\ x' = 8
        \/ x = 8 /\ x' = 5
====
