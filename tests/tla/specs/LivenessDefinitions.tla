---- MODULE LivenessDefinitions ----
\* Temporal operators in definitions that nobody checks are read over.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Reaches == <>(x = 2)
LeadsTo == (x = 1) ~> (x = 0)
Often == []<>(x = 0) /\ <>[](x \in 0..2)
Guarantee == (x = 0) -+-> (x \in 0..2)
Strong == \A i \in 0..2 : SF_x(x = i /\ Next)
Hidden == \EE y : y = x
Inv == x \in 0..2
====
