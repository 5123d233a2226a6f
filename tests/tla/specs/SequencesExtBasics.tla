---- MODULE SequencesExtBasics ----
\* Sequences and sets, searching, replacing.
EXTENDS Integers, Sequences, SequencesExt
s == <<3, 1, 2, 1>>
ASSUME ToSet(s) = 1..3
ASSUME SetToSeq({5}) = <<5>> /\ ToSet(SetToSeq(1..4)) = 1..4 /\ Len(SetToSeq(1..4)) = 4
ASSUME SetToSeqs({1, 2}) = {<<1, 2>>, <<2, 1>>}
ASSUME SetToSortSeq({3, 1, 2}, >) = <<3, 2, 1>>
ASSUME Contains(s, 2) /\ ~Contains(s, 9)
ASSUME Reverse(s) = <<1, 2, 1, 3>>
ASSUME Remove(s, 1) = <<3, 2>>
ASSUME ReplaceAll(s, 1, 0) = <<3, 0, 2, 0>>
ASSUME SelectInSeq(s, LAMBDA e : e < 3) = 2
ASSUME SelectInSeq(s, LAMBDA e : e > 9) = 0
ASSUME SelectLastInSeq(s, LAMBDA e : e = 1) = 4
ASSUME InsertAt(s, 2, 9) = <<3, 9, 1, 2, 1>>
ASSUME ReplaceAt(s, 1, 9) = <<9, 1, 2, 1>>
ASSUME RemoveAt(s, 1) = <<1, 2, 1>>
ASSUME RemoveFirst(s, 1) = <<3, 2, 1>>
ASSUME Cons(0, s) = <<0, 3, 1, 2, 1>> /\ Snoc(0, s) = <<3, 1, 2, 1, 0>>
ASSUME Front(s) = <<3, 1, 2>> /\ Last(s) = 1
====
