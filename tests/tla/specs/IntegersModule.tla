---- MODULE IntegersModule ----
\* Negative numbers: division rounds down, the remainder is never negative.
EXTENDS Integers
ASSUME -7 \div 2 = -3
ASSUME (-7) \div 2 = -4
ASSUME (-7) % 2 = 1
ASSUME (-6) \div 2 = -3 /\ (-6) % 2 = 0
ASSUME \A a \in -9..9, b \in 1..4 : a = b * (a \div b) + (a % b) /\ a % b \in 0..(b - 1)
ASSUME 3 - 5 = -2
ASSUME -(-4) = 4
ASSUME (-2) ^ 3 = -8
ASSUME -3 < -2
ASSUME -1 \in Int /\ -1 \notin Nat
ASSUME -2..2 = {-2, -1, 0, 1, 2}
====
