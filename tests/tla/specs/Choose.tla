---- MODULE Choose ----
\* CHOOSE with a unique witness, and the same choice for equal sets.
EXTENDS Integers
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Any(S) == CHOOSE x \in S : TRUE
VARIABLE x
Init == x = Max({3, 9, 4})
Next == x' = Max({x - 1, 6})
Inv == /\ Any({2}) = 2
       /\ Any({3, 1, 2}) = Any({2, 3, 1, 1})
       /\ Any(1..3) = Any({1, 2, 3})
       /\ Any(1..3) \in 1..3
       /\ (CHOOSE <<a, b>> \in (1..3) \X (1..3) : a + b = 6) = <<3, 3>>
====
