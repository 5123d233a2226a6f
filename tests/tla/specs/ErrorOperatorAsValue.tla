---- MODULE ErrorOperatorAsValue ----
\* An operator with parameters is no value.
EXTENDS Integers
Inc(n) == n + 1
ASSUME {Inc} # {}
====
