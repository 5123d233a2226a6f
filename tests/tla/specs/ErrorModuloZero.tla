---- MODULE ErrorModuloZero ----
\* The remainder of a division by zero.
EXTENDS Integers
ASSUME 5 % 0 = 0
====
