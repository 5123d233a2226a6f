---- MODULE TlcSortSeq ----
\* SortSeq with an order given as operator or LAMBDA.
EXTENDS Integers, Sequences, TLC
Less(a, b) == a < b
ASSUME SortSeq(<<3, 1, 2>>, Less) = <<1, 2, 3>>
ASSUME SortSeq(<<3, 1, 2>>, LAMBDA a, b : a > b) = <<3, 2, 1>>
ASSUME SortSeq(<<2, 1, 2, 1>>, <) = <<1, 1, 2, 2>>
ASSUME SortSeq(<<>>, <) = <<>>
ASSUME SortSeq(<<<<2, "b">>, <<1, "a">>>>, LAMBDA x, y : x[1] < y[1]) = <<<<1, "a">>, <<2, "b">>>>
====
