---- MODULE SequenceOperators ----
\* The operators of module Sequences.
EXTENDS Integers, Sequences
s == <<4, 5, 6>>
Odd(x) == x % 2 = 1
ASSUME Len(s) = 3 /\ Len(<<>>) = 0
ASSUME Head(s) = 4 /\ Tail(s) = <<5, 6>>
ASSUME Tail(<<1>>) = <<>>
ASSUME Append(s, 7) = <<4, 5, 6, 7>>
ASSUME Append(<<>>, {}) = <<{}>>
ASSUME s \o <<1>> = <<4, 5, 6, 1>>
ASSUME <<>> \o s = s /\ s \circ <<>> = s
ASSUME SubSeq(s, 2, 3) = <<5, 6>>
ASSUME SubSeq(s, 2, 1) = <<>>
ASSUME SelectSeq(s, Odd) = <<5>>
ASSUME SelectSeq(<<>>, Odd) = <<>>
ASSUME SelectSeq(s, LAMBDA e : e > 4) = <<5, 6>>
ASSUME DOMAIN s = 1..3
ASSUME s \in Seq(1..9) /\ s \notin Seq(1..5)
ASSUME [s EXCEPT ![2] = 0] = <<4, 0, 6>>
====
