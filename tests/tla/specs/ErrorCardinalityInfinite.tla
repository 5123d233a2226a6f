---- MODULE ErrorCardinalityInfinite ----
\* The cardinality of an infinite set.
EXTENDS Integers, FiniteSets
ASSUME Cardinality(Nat) > 5
====
