---- MODULE GuardBranches ----
\* A disjunction or an existential in a guard branches too: one successor per way to satisfy it.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == /\ x = 0 \/ x < 5
        /\ \E i \in 1..3 : i > x
        /\ x' = 1 - x
====
