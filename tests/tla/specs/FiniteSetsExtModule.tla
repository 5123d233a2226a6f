---- MODULE FiniteSetsExtModule ----
\* Folds, sums, extremes and choices over finite sets.
EXTENDS Integers, FiniteSets, FiniteSetsExt
ASSUME FoldSet(+, 0, 1..4) = 10
ASSUME SumSet({1, 2, 5}) = 8 /\ SumSet({}) = 0
ASSUME ProductSet({2, 3, 4}) = 24
ASSUME ReduceSet(LAMBDA a, b : a + b, 1..3, 10) = 16
ASSUME MapThenSumSet(LAMBDA x : x * x, 1..3) = 14
ASSUME FlattenSet({{1}, {2, 3}}) = 1..3
ASSUME SymDiff({1, 2}, {2, 3}) = {1, 3}
ASSUME Quantify(1..10, LAMBDA x : x % 3 = 0) = 3
ASSUME kSubset(2, 1..3) = {{1, 2}, {1, 3}, {2, 3}}
ASSUME Cardinality(kSubset(3, 1..6)) = 20
ASSUME Max({3, 9, 4}) = 9 /\ Min({3, 9, 4}) = 3
ASSUME Cardinality(Choices({{1, 2}, {3, 4}})) = 4
ASSUME ChooseUnique(1..5, LAMBDA x : x > 4) = 5
====
