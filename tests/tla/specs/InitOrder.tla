---- MODULE InitOrder ----
\* A variable may be used in Init after an earlier conjunct has given it a value.
EXTENDS Integers
VARIABLES a, b, c
Init == a \in 1..2 /\ b = a * 10 /\ c \in a..b /\ c % 5 = 0
Next == UNCHANGED <<a, b, c>>
====
