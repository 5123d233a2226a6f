---- MODULE BoxAction ----
\* [A]_v and <<A>>_v used as actions.
EXTENDS Integers
VARIABLE x
A == x < 2 /\ x' = x + 1
Init == x = 0
Next == [A]_x
Strict == <<A>>_x
====
