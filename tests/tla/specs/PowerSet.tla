---- MODULE PowerSet ----
\* A variable ranges over all subsets.
EXTENDS Integers, FiniteSets
VARIABLE s
Init == s \in SUBSET (1..4)
Next == s' = {i \in 1..4 : i \notin s}
Inv == s \subseteq 1..4 /\ Cardinality(s) \in 0..4
====
