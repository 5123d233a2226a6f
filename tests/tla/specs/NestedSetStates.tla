---- MODULE NestedSetStates ----
\* Sets of sets and tuples of sets are normalised deeply.
EXTENDS Integers
VARIABLE s
Init == s \in {{{1, 2}, {3}}, {{3}, {2, 1}}, {1..2, 3..3}, {{2, 1, 1}, {3}, {3}}}
Next == s' = {{j + 0 : j \in i} : i \in s}
Inv == s = {{3}, {1, 2}}
====
