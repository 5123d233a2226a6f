---- MODULE ErrorJunctionColumn ----
\* An item whose operand starts left of the bullets.
EXTENDS Integers
A == /\ TRUE
     /\ 1 +
  2 = 3
====
