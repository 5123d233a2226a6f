---- MODULE DiningDeadlock ----
\* Two philosophers who take the left fork first can starve.
EXTENDS Integers
VARIABLES fork, hand
Init == fork = <<0, 0>> /\ hand = <<0, 0>>
Take(p, f) == /\ fork[f] = 0 /\ fork' = [fork EXCEPT ![f] = p]
              /\ hand' = [hand EXCEPT ![p] = @ + 1]
Eat(p) == /\ hand[p] = 2 /\ hand' = [hand EXCEPT ![p] = 0]
          /\ fork' = [f \in 1..2 |-> IF fork[f] = p THEN 0 ELSE fork[f]]
Next == \E p \in 1..2 : \/ hand[p] = 0 /\ Take(p, p)
                        \/ hand[p] = 1 /\ Take(p, 3 - p)
                        \/ Eat(p)
====
