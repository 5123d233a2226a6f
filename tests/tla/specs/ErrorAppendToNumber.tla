---- MODULE ErrorAppendToNumber ----
\* Append wants a sequence.
EXTENDS Integers, Sequences
ASSUME Append(1, 2) = <<1, 2>>
====
