---- MODULE RefinementFails ----
\* A step that skips a value of the abstract counter is no refinement.
EXTENDS Integers
VARIABLE x
Abs == INSTANCE LibCounter WITH Bound <- 9, count <- x
Init == x = 0
Next == \/ x < 2 /\ x' = x + 1
        \/ x = 2 /\ x' = 4
Spec == Init /\ [][Next]_x
AbsSpec == Abs!CSpec
====
