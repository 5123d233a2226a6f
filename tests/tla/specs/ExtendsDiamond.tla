---- MODULE ExtendsDiamond ----
\* A module that is reached by two ways is one module; LOCAL definitions do not leak.
EXTENDS LibLeft, LibRight
VARIABLE x
Init == x = 0
Next == x < RightLimit /\ x' = Step(x)
Inv == x <= LeftLimit /\ Hidden = 7 /\ Limit = 3
====
