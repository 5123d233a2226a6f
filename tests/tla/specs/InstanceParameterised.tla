---- MODULE InstanceParameterised ----
\* An instance with a parameter is a family of modules.
EXTENDS Integers
VARIABLES a, b
C(n, v) == INSTANCE LibCounter WITH Bound <- n, count <- v
Init == C(1, a)!CInit /\ C(2, b)!CInit
Next == \/ C(1, a)!CNext /\ UNCHANGED b
        \/ C(2, b)!CNext /\ UNCHANGED a
Inv == C(1, a)!CInv /\ C(2, b)!CInv /\ C(5, a)!Twice(4) = 8
====
