---- MODULE DivisionTimesConflict ----
\* \div and * have one precedence and do not mix without parentheses.
EXTENDS Integers
ASSUME 8 \div 2 * 2 = 8
====
