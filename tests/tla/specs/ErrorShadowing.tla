---- MODULE ErrorShadowing ----
\* A bound name may not reuse a name in scope.
EXTENDS Integers
x == 1
ASSUME \A x \in 1..2 : x > 0
====
