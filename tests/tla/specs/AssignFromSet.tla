---- MODULE AssignFromSet ----
\* x' \in S branches, in every form of S.
EXTENDS Integers
VARIABLES s, f
Init == s = {} /\ f = [i \in 1..2 |-> 0]
Next == s' \in SUBSET {1, 2} /\ f' \in [1..2 -> 0..1]
====
