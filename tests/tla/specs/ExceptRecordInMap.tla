---- MODULE ExceptRecordInMap ----
\* EXCEPT on a function of records as used for the state of nodes.
EXTENDS Integers
VARIABLE node
Init == node = [n \in {"a", "b"} |-> [round |-> 0, votes |-> {}]]
Vote(n, m) == /\ m \notin node[n].votes
              /\ node' = [node EXCEPT ![n].votes = @ \cup {m}]
Advance(n) == /\ node[n].votes = {"a", "b"} /\ node[n].round = 0
              /\ node' = [node EXCEPT ![n].round = @ + 1]
Next == \E n \in {"a", "b"} : Advance(n) \/ \E m \in {"a", "b"} : Vote(n, m)
Inv == \A n \in {"a", "b"} : node[n].round = 1 => node[n].votes = {"a", "b"}
====
