---- MODULE ErrorTuplePattern ----
\* A tuple pattern that does not fit the element.
EXTENDS Integers
ASSUME \A <<a, b>> \in {<<1, 2, 3>>} : a < b
====
