---- MODULE FiniteSetsModule ----
\* Cardinality and finiteness.
EXTENDS Integers, FiniteSets
ASSUME Cardinality({}) = 0
ASSUME Cardinality({1, 1, 2}) = 2
ASSUME Cardinality(SUBSET (1..5)) = 32
ASSUME Cardinality([1..3 -> 1..2]) = 8
ASSUME Cardinality(1..1000) = 1000
ASSUME Cardinality({{}, {1}, {1, 1}}) = 2
ASSUME IsFiniteSet({1}) /\ IsFiniteSet(1..3)
ASSUME Cardinality((1..3) \X (1..4)) = 12
ASSUME Cardinality([a : 1..2, b : 1..5]) = 10
====
