---- MODULE TokenRing ----
\* A token on a ring of four, with at most two visits to the start.
EXTENDS Integers
VARIABLES at, visits
Init == at = 0 /\ visits = 0
Next == /\ at' = (at + 1) % 4
        /\ visits' = IF at' = 0 THEN visits + 1 ELSE visits
Bound == visits < 3
====
