---- MODULE ErrorDoublePrime ----
\* A prime on a primed expression.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x'' = 0
====
