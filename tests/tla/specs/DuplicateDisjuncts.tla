---- MODULE DuplicateDisjuncts ----
\* Every disjunct that holds generates a successor, equal ones included.
EXTENDS Integers
VARIABLE x
Init == x = 0 \/ x = 0 \/ x = 1
Next == \/ x' = 0
        \/ x' = 0
        \/ x' \in {0, 1}
====
