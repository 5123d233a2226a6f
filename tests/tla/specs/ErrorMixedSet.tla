---- MODULE ErrorMixedSet ----
\* A set of a number and a string cannot be ordered.
EXTENDS Integers
ASSUME {1, "a"} = {"a", 1}
====
