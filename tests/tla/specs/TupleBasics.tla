---- MODULE TupleBasics ----
\* Tuples, nesting and the empty tuple.
EXTENDS Integers, Sequences
VARIABLE t
Init == t = <<>>
Next == t \in {<<>>, <<t>>} /\ t' = <<t>> /\ Len(t) = 0
Inv == /\ <<1, <<2, 3>>>>[2][1] = 2
       /\ <<<<>>>> # <<>>
       /\ Len(<<<<>>>>) = 1
       /\ DOMAIN <<>> = {}
       /\ <<1, 2, 3>>[3] = 3
====
