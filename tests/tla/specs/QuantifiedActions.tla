---- MODULE QuantifiedActions ----
\* \E in an action branches over every binding, \A in an action conjoins.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = 0
Step == \E i, j \in 0..1 : x' = i /\ y' = j
All == \A v \in {1} : x' = v /\ y' = v
Next == Step \/ All
====
