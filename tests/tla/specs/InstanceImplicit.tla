---- MODULE InstanceImplicit ----
\* Names of the same spelling are substituted without WITH.
EXTENDS Integers
CONSTANT Bound
VARIABLE count
C == INSTANCE LibCounter
Init == C!CInit
Next == C!CNext
Inv == C!CInv
====
