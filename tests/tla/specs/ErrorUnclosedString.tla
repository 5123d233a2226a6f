---- MODULE ErrorUnclosedString ----
\* A string without its end.
EXTENDS Integers
A == "abc
B == 3
====
