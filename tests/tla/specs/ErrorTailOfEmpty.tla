---- MODULE ErrorTailOfEmpty ----
\* The rest of nothing.
EXTENDS Sequences
ASSUME Tail(<<>>) = <<>>
====
