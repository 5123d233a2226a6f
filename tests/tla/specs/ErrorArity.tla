---- MODULE ErrorArity ----
\* Too few and too many arguments.
EXTENDS Integers
Add(a, b) == a + b
ASSUME Add(1) = 2
====
