---- MODULE ErrorTupleIndex ----
\* Indices of tuples begin with 1.
EXTENDS Integers
ASSUME <<7, 8>>[0] = 7
====
