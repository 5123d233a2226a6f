---- MODULE ErrorRecursionWithoutDeclaration ----
\* A recursive operator must be declared RECURSIVE.
EXTENDS Integers
Down(n) == IF n = 0 THEN 0 ELSE Down(n - 1)
ASSUME Down(3) = 0
====
