---- MODULE ErrorQuantifyNumber ----
\* A quantifier over a number.
EXTENDS Integers
ASSUME \E i \in 5 : TRUE
====
