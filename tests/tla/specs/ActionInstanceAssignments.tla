---- MODULE ActionInstanceAssignments ----
\* Assignments through an instance whose variable is an expression of the form f[i] are guards only.
EXTENDS Integers
VARIABLE f
C(i) == INSTANCE LibCounter WITH Bound <- 1, count <- f[i]
Init == f = [i \in 1..2 |-> 0]
Next == \E i \in 1..2 : /\ f' = [f EXCEPT ![i] = 1 - @]
                        /\ C(i)!CNext
Inv == C(1)!CInv /\ C(2)!CInv
====
