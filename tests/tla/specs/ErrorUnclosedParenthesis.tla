---- MODULE ErrorUnclosedParenthesis ----
\* A parenthesis that is never closed.
EXTENDS Integers
A == (1 + 2
B == 3
====
