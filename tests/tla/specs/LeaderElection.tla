---- MODULE LeaderElection ----
\* Chang and Roberts on a ring of three with identities 1, 2, 3.
EXTENDS Integers, FiniteSets
VARIABLES inbox, leader
Right(n) == (n % 3) + 1
Init == inbox = [n \in 1..3 |-> {IF n = 1 THEN 3 ELSE n - 1}] /\ leader = 0
Step(n) == \E m \in inbox[n] :
  \/ /\ m # n /\ leader' = leader
     /\ inbox' = [inbox EXCEPT ![n] = @ \ {m}, ![Right(n)] = IF m > n THEN @ \cup {m} ELSE @]
  \/ /\ m = n /\ leader' = n /\ UNCHANGED inbox
Next == \E n \in 1..3 : Step(n)
OneLeader == leader \in {0, 3}
====
