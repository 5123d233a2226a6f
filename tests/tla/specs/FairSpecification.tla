---- MODULE FairSpecification ----
\* Fairness in SPECIFICATION does not change the state space.
EXTENDS Integers
VARIABLE x
Init == x = 0
Up == x < 2 /\ x' = x + 1
Reset == x = 2 /\ x' = 0
Next == Up \/ Reset
Fairness == WF_x(Up) /\ SF_x(Reset)
Spec == Init /\ [][Next]_x /\ Fairness
Inv == x \in 0..2
====
