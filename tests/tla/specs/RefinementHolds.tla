---- MODULE RefinementHolds ----
\* Every step of the implementation is a step of the abstract module or leaves it alone.
EXTENDS Integers
VARIABLES half, whole
vars == <<half, whole>>
Abs == INSTANCE LibCounter WITH Bound <- 2, count <- whole
Init == half = 0 /\ whole = 0
Next == \/ half = 0 /\ whole < 2 /\ half' = 1 /\ UNCHANGED whole
        \/ half = 1 /\ half' = 0 /\ whole' = whole + 1
Spec == Init /\ [][Next]_vars
AbsSpec == Abs!CSpec
====
