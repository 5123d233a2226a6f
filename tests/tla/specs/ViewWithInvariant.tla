---- MODULE ViewWithInvariant ----
\* Invariants see the whole state even if the view drops a part.
EXTENDS Integers
VARIABLES x, steps
Init == x = 0 /\ steps = 0
Next == x' = (x + 1) % 3 /\ steps' = steps + 1
Position == x
Few == steps < 3
Fewer == steps < 2
====
