---- MODULE SubsetOfRecords ----
\* A set of records as a value of a power set.
EXTENDS Integers, FiniteSets
VARIABLE s
Msgs == [kind : {"p"}, n : 1..3]
Init == s \in {t \in SUBSET Msgs : Cardinality(t) <= 1}
Next == \E m \in Msgs \ s : s' = s \cup {m}
Inv == s \in SUBSET Msgs
====
