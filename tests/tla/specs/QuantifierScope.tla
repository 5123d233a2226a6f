---- MODULE QuantifierScope ----
\* A quantifier reaches as far to the right as possible.
EXTENDS Integers
ASSUME \E x \in {1} : x = 1 /\ TRUE
ASSUME ~(\A x \in {} : FALSE /\ FALSE) = FALSE
ASSUME (\A x \in 1..3 : x > 0 => x >= 1)
ASSUME \E x \in 1..3 : x = 3 \/ x = 9
ASSUME (\E x \in {} : TRUE) \/ TRUE
====
