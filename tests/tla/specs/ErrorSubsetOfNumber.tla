---- MODULE ErrorSubsetOfNumber ----
\* SUBSET of a number.
EXTENDS Integers
ASSUME {1} \in SUBSET 3
====
