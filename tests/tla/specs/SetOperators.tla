---- MODULE SetOperators ----
\* Union, intersection, difference, subset and membership on explicit sets and intervals.
EXTENDS Integers
VARIABLE x
Init == x \in ((1..4 \cup {7}) \cap (2..9)) \ {3}
Next == UNCHANGED x
Inv == /\ x \in {2, 4, 7}
       /\ x \notin {1, 3}
       /\ {x} \subseteq 1..7
       /\ ~({x, 8} \subseteq 1..7)
       /\ {1, 2} \union {2, 3} = 1..3
       /\ {1, 2} \intersect {2, 3} = {2}
====
