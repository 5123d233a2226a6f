---- MODULE FunctionSetLazy ----
\* Membership in a huge function set is decided without enumeration.
EXTENDS Integers
ASSUME [i \in 1..50 |-> i] \in [1..50 -> 1..50]
ASSUME [i \in 1..50 |-> i] \notin [1..50 -> 1..49]
ASSUME [i \in 1..50 |-> i] \in [1..50 -> Nat]
ASSUME [i \in 1..49 |-> i] \notin [1..50 -> Nat]
ASSUME <<TRUE, FALSE>> \in [1..2 -> BOOLEAN]
ASSUME [i \in 1..3 |-> {i}] \in [1..3 -> SUBSET (1..30)]
====
