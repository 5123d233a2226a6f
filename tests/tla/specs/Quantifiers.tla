---- MODULE Quantifiers ----
\* Bounded quantifiers with several bounds, tuple patterns and empty ranges.
EXTENDS Integers
S == {<<1, 2>>, <<3, 4>>}
ASSUME \A a, b \in 1..2, c \in {0} : a + b + c <= 4
ASSUME \E a \in 1..3, b \in 4..6 : a + b = 9
ASSUME ~ \E a \in 1..3, b \in 4..6 : a + b = 10
ASSUME \A <<a, b>> \in S : b = a + 1
ASSUME \E <<a, b>> \in S, c \in 5..7 : a + b = c
ASSUME \A x \in {} : FALSE
ASSUME ~ \E x \in {} : TRUE
ASSUME \A x \in 1..2 : \E y \in 2..4 : y = 2 * x
ASSUME ~(\E y \in 2..4 : \A x \in 1..2 : y = 2 * x)
ASSUME \A f \in [1..2 -> 1..2] : \E i \in 1..2 : f[i] \in {1, 2}
====
