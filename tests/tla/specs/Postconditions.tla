---- MODULE Postconditions ----
\* POSTCONDITION is evaluated once after the search.
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Good == TLCGet("stats").distinct = 2
Bad == TLCGet("distinct") = 3
====
