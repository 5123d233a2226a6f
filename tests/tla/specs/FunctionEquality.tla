---- MODULE FunctionEquality ----
\* Functions are equal when domain and values are, however they are written.
EXTENDS Integers, Sequences, TLC
ASSUME <<1, 2>> = [i \in 1..2 |-> i]
ASSUME [a |-> 1, b |-> 2] = [b |-> 2, a |-> 1]
ASSUME [s \in {"a", "b"} |-> 1] = [a |-> 1, b |-> 1]
ASSUME <<>> = [i \in {} |-> i]
ASSUME <<5>> = (1 :> 5)
ASSUME <<5, 6>> = (1 :> 5 @@ 2 :> 6)
ASSUME [i \in 0..1 |-> i] # <<0, 1>>
ASSUME <<1>> # <<1, 2>>
ASSUME [i \in 1..2 |-> i] # [i \in 1..3 |-> i]
ASSUME {<<1, 2>>, [i \in 1..2 |-> i]} = {<<1, 2>>}
ASSUME ("a" :> 1) = [a |-> 1]
====
