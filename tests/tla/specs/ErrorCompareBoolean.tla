---- MODULE ErrorCompareBoolean ----
\* Comparing a boolean with a number.
ASSUME TRUE = 1
====
