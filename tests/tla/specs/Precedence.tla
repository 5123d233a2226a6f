---- MODULE Precedence ----
\* Relative precedence of operators.
EXTENDS Integers, Sequences
ASSUME 2 + 3 * 4 = 14
ASSUME 2 * 3 + 4 = 10
ASSUME 10 - 2 * 3 = 4
ASSUME 2 * 3 ^ 2 = 18
ASSUME -2 + 5 = 3
ASSUME - 2 ^ 2 = -4
ASSUME -2 * 3 = -6
ASSUME 1 + 1 = 2 /\ 2 + 2 = 4
ASSUME 1 = 1 <=> 2 = 2
ASSUME ~FALSE /\ TRUE
ASSUME ~ 1 = 2
ASSUME 1..2 + 1 = {1, 2, 3}
ASSUME 1 \in {1} \cup {2}
ASSUME TRUE \/ FALSE => FALSE \/ TRUE
ASSUME FALSE /\ FALSE => FALSE
ASSUME <<1>> \o <<2>> = <<1, 2>>
ASSUME \neg FALSE = TRUE
ASSUME DOMAIN <<1>> = {1}
ASSUME SUBSET {1} = {{}, {1}}
ASSUME UNION {{1}} \subseteq 1..1
ASSUME 1 + 7 \div 2 = 4
ASSUME {1} \X {2} = {<<1, 2>>}
====
