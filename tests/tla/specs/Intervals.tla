---- MODULE Intervals ----
\* Intervals may be empty and may be negative.
EXTENDS Integers, FiniteSets
VARIABLE i
Init == i \in -2..1
Next == i' \in i..(i - 1) \/ i' \in {j \in i..(i + 1) : j \in -2..1}
Inv == /\ 3..2 = {}
       /\ Cardinality(-2..2) = 5
       /\ 5..5 = {5}
       /\ 0 \in -1..1
====
