---- MODULE TlcPermutations ----
\* Permutations are the bijections of a set onto itself.
EXTENDS Integers, FiniteSets, TLC
VARIABLE p
Init == p \in Permutations({1, 2, 3})
Next == p' = [i \in 1..3 |-> p[p[i]]]
Inv == /\ {p[i] : i \in 1..3} = 1..3
       /\ Cardinality(Permutations({"a", "b"})) = 2
       /\ Permutations({}) = {<<>>}
====
