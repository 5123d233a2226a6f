---- MODULE SequenceStates ----
\* A bounded queue as the state.
EXTENDS Integers, Sequences
VARIABLE q
Init == q = <<>>
Put(v) == Len(q) < 3 /\ q' = Append(q, v)
Get == q # <<>> /\ q' = Tail(q)
Next == Get \/ \E v \in {0, 1} : Put(v)
Inv == Len(q) <= 3 /\ q \in Seq({0, 1})
====
