---- MODULE Associativity ----
\* Left-associative operators of equal precedence.
EXTENDS Integers, Sequences
ASSUME 10 - 3 - 2 = 5
ASSUME 10 - (3 - 2) = 9
ASSUME 2 + 3 - 4 + 1 = 2
ASSUME 2 * 3 * 4 = 24
ASSUME (1..3) \cup {4} \cup {5} = 1..5
ASSUME <<1>> \o <<2>> \o <<3>> = <<1, 2, 3>>
ASSUME TRUE /\ TRUE /\ TRUE
ASSUME FALSE \/ FALSE \/ TRUE
====
