---- MODULE RandomElements ----
\* Random choices, checked by what holds for every seed.
EXTENDS Integers, FiniteSets, TLC, Randomization
VARIABLE x
Init == x = 0
Next == x' = x + 0 * RandomElement(1..10)
Inv == /\ RandomElement({7}) = 7
       /\ RandomElement(1..9) \in 1..9
       /\ RandomSubset(3, 1..10) \subseteq 1..10
       /\ Cardinality(RandomSubset(3, 1..10)) = 3
       /\ RandomSubset(2, {1, 2}) = {1, 2}
       /\ RandomSubset(0, 1..5) = {}
       /\ RandomSetOfSubsets(4, 2, 1..5) \subseteq SUBSET (1..5)
====
