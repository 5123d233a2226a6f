---- MODULE BagMessages ----
\* A bag of messages as the network: duplicates count.
EXTENDS Integers, Bags
VARIABLE net
Init == net = EmptyBag
Send(m) == BagCardinality(net) < 2 /\ net' = net (+) SetToBag({m})
Receive(m) == BagIn(m, net) /\ net' = net (-) SetToBag({m})
Next == \E m \in {1, 2} : Send(m) \/ Receive(m)
Inv == \A m \in BagToSet(net) : CopiesIn(m, net) \in 1..2
====
