---- MODULE ErrorChooseUnbounded ----
\* CHOOSE without a set cannot be evaluated.
EXTENDS Integers
ASSUME (CHOOSE n : n \notin {1}) # 1
====
