---- MODULE FunctionSets ----
\* Enumeration of a set of functions, and its corner cases.
EXTENDS Integers
VARIABLE f
Init == f \in [1..2 -> 0..2]
Next == f' = [i \in 1..2 |-> f[3 - i]]
Inv == /\ DOMAIN f = 1..2
       /\ [{} -> 1..3] = {<<>>}
       /\ [1..2 -> {}] = {}
       /\ [1..1 -> {5}] = {<<5>>}
       /\ f \in [1..2 -> Nat]
====
