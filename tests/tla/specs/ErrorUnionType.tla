---- MODULE ErrorUnionType ----
\* UNION of a set of numbers.
EXTENDS Integers
ASSUME UNION {1, 2} = {}
====
