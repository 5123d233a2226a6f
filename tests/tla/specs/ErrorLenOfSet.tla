---- MODULE ErrorLenOfSet ----
\* Len wants a sequence.
EXTENDS Integers, Sequences
ASSUME Len({1, 2}) = 2
====
