---- MODULE RefinementInit ----
\* The initial states must refine as well.
EXTENDS Integers
VARIABLE x
Abs == INSTANCE LibCounter WITH Bound <- 9, count <- x
Init == x \in 0..1
Next == x < 2 /\ x' = x + 1
Spec == Init /\ [][Next]_x
AbsSpec == Abs!CSpec
====
