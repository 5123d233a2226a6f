---- MODULE ErrorBadOperatorUse ----
\* Two operands without an operator.
EXTENDS Integers
A == 1 2
====
