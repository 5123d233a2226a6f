---- MODULE ErrorAssumptionNotBoolean ----
\* An assumption that is a number.
EXTENDS Integers
ASSUME 1 + 1
====
