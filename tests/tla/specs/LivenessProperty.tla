---- MODULE LivenessProperty ----
\* A liveness property is not checked, but it does not stop the search.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Reaches == <>(x = 2)
Repeats == []<>(x = 0)
====
