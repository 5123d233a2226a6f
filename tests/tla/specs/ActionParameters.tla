---- MODULE ActionParameters ----
\* Actions with parameters that are passed through several operators.
EXTENDS Integers
VARIABLES balance
Accounts == {"a", "b", "c"}
Move(from, to, n) == /\ from # to /\ balance[from] >= n
                     /\ balance' = [balance EXCEPT ![from] = @ - n, ![to] = @ + n]
Some(from) == \E to \in Accounts : Move(from, to, 1)
Init == balance = [k \in Accounts |-> IF k = "a" THEN 2 ELSE 0]
Next == \E k \in Accounts : Some(k)
Inv == balance["a"] + balance["b"] + balance["c"] = 2
====
