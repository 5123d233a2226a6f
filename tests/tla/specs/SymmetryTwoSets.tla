---- MODULE SymmetryTwoSets ----
\* SYMMETRY as the union of the permutations of two sets.
EXTENDS Integers, TLC
CONSTANTS Acceptors, Values
VARIABLE vote
Init == vote = [a \in Acceptors |-> {}]
Next == \E a \in Acceptors, v \in Values :
          vote[a] = {} /\ vote' = [vote EXCEPT ![a] = {v}]
Perms == Permutations(Acceptors) \cup Permutations(Values)
====
