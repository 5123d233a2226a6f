---- MODULE LazyMembership ----
\* Membership tests against infinite sets.
EXTENDS Integers, Sequences
ASSUME 5 \in Nat /\ -5 \notin Nat /\ -5 \in Int
ASSUME "abc" \in STRING
ASSUME <<1, 2, 3>> \in Seq(Nat)
ASSUME <<1, -2>> \notin Seq(Nat)
ASSUME <<>> \in Seq({})
ASSUME [a |-> 1, b |-> <<2>>] \in [a : Nat, b : Seq(Int)]
ASSUME <<1, "x">> \in Nat \X STRING
ASSUME TRUE \in BOOLEAN
ASSUME 3 \in {i \in Int : i > 2}
ASSUME -1 \in Nat \cup {-1}
ASSUME 4 \notin Nat \ {4}
ASSUME {1, 2} \subseteq Nat
====
