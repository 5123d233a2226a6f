---- MODULE InitGuardsEarly ----
\* While a variable is open, a disjunction of Init branches: one initial state per way to satisfy it.
EXTENDS Integers
VARIABLES x, y
Init == /\ x \in 1..2
        /\ x < 5 \/ x < 6
        /\ y = 0
Next == UNCHANGED <<x, y>>
====
