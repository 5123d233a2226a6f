---- MODULE SetOfFunctionsStates ----
\* Partial functions grow: states with different domains.
EXTENDS Integers, TLC
VARIABLE m
Init == m = <<>>
Next == \E k \in 1..2, v \in {"x", "y"} : k \notin DOMAIN m /\ m' = (k :> v) @@ m
Inv == DOMAIN m \subseteq 1..2
====
