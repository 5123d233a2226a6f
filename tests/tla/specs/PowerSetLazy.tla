---- MODULE PowerSetLazy ----
\* Membership in a power set of a large or infinite set does not enumerate it.
EXTENDS Integers
ASSUME {1, 5} \in SUBSET (1..60)
ASSUME {0, 61} \notin SUBSET (1..60)
ASSUME {1, 2, 1000000} \in SUBSET Nat
ASSUME {-1} \notin SUBSET Nat
ASSUME {{1}, {}} \in SUBSET SUBSET Nat
ASSUME SUBSET {} = {{}}
ASSUME SUBSET SUBSET {} = {{}, {{}}}
====
