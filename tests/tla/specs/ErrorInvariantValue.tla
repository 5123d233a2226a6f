---- MODULE ErrorInvariantValue ----
\* An invariant that is a number.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == UNCHANGED x
Inv == x + 1
====
