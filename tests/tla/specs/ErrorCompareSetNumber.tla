---- MODULE ErrorCompareSetNumber ----
\* Comparing a set with a number.
ASSUME {} = 0
====
