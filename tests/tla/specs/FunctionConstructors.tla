---- MODULE FunctionConstructors ----
\* Functions of one and of several arguments; application with a tuple is the same.
EXTENDS Integers
VARIABLE f
Init == f = [i \in 1..2, j \in 1..2 |-> i * 10 + j]
Next == f' = [f EXCEPT ![2, 1] = 0]
Inv == /\ f[1, 2] = 12
       /\ f[<<1, 2>>] = 12
       /\ DOMAIN f = (1..2) \X (1..2)
       /\ f[2, 1] \in {21, 0}
       /\ [<<a, b>> \in {<<1, 2>>, <<3, 4>>} |-> a + b][3, 4] = 7
====
