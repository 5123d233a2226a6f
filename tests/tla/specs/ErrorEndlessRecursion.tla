---- MODULE ErrorEndlessRecursion ----
\* Recursion without an end is reported, not a crash.
EXTENDS Integers
RECURSIVE Up(_)
Up(n) == Up(n + 1)
ASSUME Up(0) = 0
====
