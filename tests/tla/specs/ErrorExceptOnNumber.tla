---- MODULE ErrorExceptOnNumber ----
\* EXCEPT on a number.
EXTENDS Integers
ASSUME [5 EXCEPT ![1] = 2] = 5
====
