---- MODULE LibCounter ----
EXTENDS Integers
CONSTANT Bound
VARIABLE count
CInit == count = 0
CNext == count < Bound /\ count' = count + 1
CSpec == CInit /\ [][CNext]_count
CInv == count \in 0..Bound
Twice(n) == 2 * n
a \oplus b == a + b + Bound
====
