---- MODULE InstanceExpression ----
\* A variable of the instance is replaced by an expression: prime distributes over it.
EXTENDS Integers
VARIABLES low, high
C == INSTANCE LibCounter WITH Bound <- 3, count <- 2 * high + low
Init == low = 0 /\ high = 0
Next == \/ low = 0 /\ low' = 1 /\ UNCHANGED high
        \/ low = 1 /\ high = 0 /\ low' = 0 /\ high' = 1
Inv == C!CInv
Steps == [][C!CNext]_<<low, high>>
====
