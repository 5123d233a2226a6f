---- MODULE AssignThroughParameter ----
\* A primed variable handed to an operator constant is assigned there.
EXTENDS Integers
CONSTANTS Start(_), Act(_, _, _)
VARIABLES x, turn
MCStart(v) == v = 0
MCAct(i, old, new) == new = (old + i) % 3
Init == Start(x) /\ turn = 1
Next == /\ Act(turn, x, x')
        /\ turn' = 3 - turn
====
