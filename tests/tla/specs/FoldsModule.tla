---- MODULE FoldsModule ----
\* The general fold over a set.
EXTENDS Integers, Folds
Choose(S) == CHOOSE x \in S : TRUE
ASSUME MapThenFoldSet(+, 0, LAMBDA x : x, Choose, 1..4) = 10
ASSUME MapThenFoldSet(LAMBDA a, b : a * b, 1, LAMBDA x : x + 1, Choose, 1..3) = 24
ASSUME MapThenFoldSet(\cup, {}, LAMBDA x : {x}, Choose, {"a", "b"}) = {"a", "b"}
ASSUME MapThenFoldSet(+, 7, LAMBDA x : x, Choose, {}) = 7
====
