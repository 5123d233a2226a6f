---- MODULE PrimedGuards ----
\* A conjunct about the next state after its assignment is a test.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == /\ x' \in 0..5
        /\ x' > x
        /\ x' # 3
        /\ x' <= x + 2
====
