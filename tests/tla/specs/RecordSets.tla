---- MODULE RecordSets ----
\* Enumeration of a set of records.
EXTENDS Integers, FiniteSets
VARIABLE r
Init == r \in [kind : {"a", "b"}, value : 1..3]
Next == \/ r.kind = "a" /\ r' = [r EXCEPT !.kind = "b"]
        \/ r.kind = "b" /\ UNCHANGED r
Inv == /\ r \in [value : 1..3, kind : {"a", "b", "c"}]
       /\ Cardinality([a : 1..3, b : BOOLEAN]) = 6
       /\ [a |-> 1] \in [a : Nat]
       /\ [a |-> 1] \notin [b : Nat]
       /\ [a : {}] = {}
====
