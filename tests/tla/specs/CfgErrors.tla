---- MODULE CfgErrors ----
\* Configuration files with mistakes.
EXTENDS Integers
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Inv == x < N
Param(n) == n > 0
====
