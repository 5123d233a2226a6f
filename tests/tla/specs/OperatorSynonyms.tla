---- MODULE OperatorSynonyms ----
\* The alternative spellings of built-in operators.
EXTENDS Integers, Sequences
ASSUME 1 =< 2 /\ 1 <= 2 /\ 1 \leq 2
ASSUME 2 >= 1 /\ 2 \geq 1
ASSUME 1 # 2 /\ 1 /= 2
ASSUME {1} \union {2} = {1} \cup {2}
ASSUME {1} \intersect {2} = {1} \cap {2}
ASSUME (TRUE \land TRUE) \lor FALSE
ASSUME \lnot FALSE \/ \neg FALSE
ASSUME <<1>> \circ <<2>> = <<1>> \o <<2>>
ASSUME {1} \times {2} = {1} \X {2}
ASSUME (TRUE \equiv TRUE) = (TRUE <=> TRUE)
====
