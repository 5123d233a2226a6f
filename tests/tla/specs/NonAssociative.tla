---- MODULE NonAssociative ----
\* Comparison operators do not chain.
EXTENDS Integers
ASSUME 1 < 2 < 3
====
