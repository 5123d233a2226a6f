---- MODULE ErrorInitInfinite ----
\* A variable cannot range over an infinite set.
EXTENDS Integers
VARIABLE x
Init == x \in Int
Next == UNCHANGED x
====
