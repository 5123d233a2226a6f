---- MODULE InstanceWith ----
\* A named instance with constants and variables replaced.
EXTENDS Integers
VARIABLE x
C == INSTANCE LibCounter WITH Bound <- 4, count <- x
Init == C!CInit
Next == C!CNext
Inv == C!CInv /\ C!Twice(x) = x + x
====
