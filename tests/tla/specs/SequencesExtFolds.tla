---- MODULE SequencesExtFolds ----
\* Left and right folds over sequences.
EXTENDS Integers, Sequences, SequencesExt
Minus(a, b) == a - b
ASSUME FoldLeft(Minus, 10, <<1, 2>>) = 7
ASSUME FoldRight(Minus, <<10, 3>>, 1) = 8
ASSUME FoldLeft(LAMBDA acc, e : Append(acc, e + 1), <<>>, <<1, 2>>) = <<2, 3>>
ASSUME FoldSeq(+, 0, <<1, 2, 3>>) = 6
ASSUME FoldLeft(+, 5, <<>>) = 5
ASSUME FoldLeftDomain(LAMBDA acc, i : acc + i, 0, <<"a", "b", "c">>) = 6
====
