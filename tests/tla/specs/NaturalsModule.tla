---- MODULE NaturalsModule ----
\* Arithmetic and comparison on naturals.
EXTENDS Naturals
ASSUME 7 \div 2 = 3 /\ 7 % 2 = 1
ASSUME 0 \div 5 = 0 /\ 0 % 5 = 0
ASSUME 2 ^ 10 = 1024 /\ 5 ^ 0 = 1 /\ 0 ^ 3 = 0
ASSUME 3 < 4 /\ ~(4 < 4) /\ 4 <= 4 /\ 5 > 4 /\ 4 >= 4
ASSUME 3 - 2 = 1
ASSUME 2 * 3 + 4 = 10
ASSUME {n \in 0..20 : n % 7 = 3} = {3, 10, 17}
====
