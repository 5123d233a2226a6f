---- MODULE ConstantsByModule ----
\* ASSUME about constants that the configuration sets; the second configuration breaks it.
EXTENDS Integers
CONSTANTS N, Names
ASSUME NPositive == N \in Nat /\ N > 0
ASSUME Names # {}
VARIABLE x
Init == x \in 1..N
Next == x' \in Names
====
