---- MODULE InitGuards ----
\* Once Init has given every variable a value, the rest is a test that does not branch.
EXTENDS Integers
VARIABLE x
Init == /\ x \in 1..2
        /\ x < 5 \/ x < 6
        /\ \E y \in 1..2 : x < 9
        /\ \A y \in {1} : x < 5 \/ x < 6
        /\ x = 1 => (x < 5 \/ x < 6)
Next == UNCHANGED x
====
