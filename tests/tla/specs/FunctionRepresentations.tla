---- MODULE FunctionRepresentations ----
\* The same function reached in three representations is one state.
EXTENDS Integers, Sequences, TLC
VARIABLE f
Init == f \in {<<7, 8>>, [i \in 1..2 |-> i + 6], 1 :> 7 @@ 2 :> 8, Append(<<7>>, 8)}
Next == \/ f' = [i \in DOMAIN f |-> f[i]]
        \/ f' = <<f[1]>> \o <<f[2]>>
Inv == f = <<7, 8>> /\ Len(f) = 2
====
