---- MODULE ErrorSubSeqRange ----
\* SubSeq beyond the end.
EXTENDS Integers, Sequences
ASSUME SubSeq(<<1, 2>>, 1, 3) = <<1, 2>>
====
