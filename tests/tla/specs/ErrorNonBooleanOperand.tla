---- MODULE ErrorNonBooleanOperand ----
\* A connective with an operand that is no truth value.
EXTENDS Integers
ASSUME TRUE /\ 3
====
