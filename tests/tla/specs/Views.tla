---- MODULE Views ----
\* VIEW: states with the same view are one state.
EXTENDS Integers
VARIABLES x, history
Init == x = 0 /\ history = <<>>
Next == \E d \in 1..2 : x' = (x + d) % 3 /\ history' = <<x, history>>
OnlyX == x
Depth == history = <<>>
====
