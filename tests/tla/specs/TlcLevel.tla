---- MODULE TlcLevel ----
\* TLCGet("level") in a constraint bounds the depth.
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1
Bound == TLCGet("level") < 5
====
