---- MODULE CurriedFunctions ----
\* Functions whose values are functions.
EXTENDS Integers
VARIABLE m
Init == m = [i \in 1..2 |-> [j \in 1..2 |-> i = j]]
Next == \E i, j \in 1..2 : m' = [m EXCEPT ![i][j] = ~@]
Inv == /\ m[1][2] \in BOOLEAN
       /\ DOMAIN m[2] = 1..2
====
