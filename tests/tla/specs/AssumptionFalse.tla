---- MODULE AssumptionFalse ----
\* An assumption that is false.
EXTENDS Integers
ASSUME 1 + 1 = 2
ASSUME Named == 2 + 2 = 5
====
