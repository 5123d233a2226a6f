---- MODULE InstanceUnnamed ----
\* INSTANCE without a name brings the definitions in as they are.
EXTENDS Integers
CONSTANT Bound
VARIABLE count
INSTANCE LibCounter
Inv == CInv /\ Twice(3) = 6 /\ 1 \oplus 2 = 3 + Bound
====
