---- MODULE UnionOfSets ----
\* UNION flattens one level and removes duplicates.
EXTENDS Integers
VARIABLE x
Init == x \in UNION {{1, 2}, {2, 3}, {}, 5..6}
Next == UNCHANGED x
Inv == /\ UNION {} = {}
       /\ UNION {{}} = {}
       /\ UNION {{{1}}, {{2}}} = {{1}, {2}}
       /\ UNION (SUBSET (1..3)) = 1..3
====
