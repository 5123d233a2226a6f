---- MODULE ErrorQuantifierUnbounded ----
\* A quantifier without a set cannot be evaluated.
EXTENDS Integers
ASSUME \A n : n = n
====
