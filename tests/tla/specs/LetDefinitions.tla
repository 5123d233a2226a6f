---- MODULE LetDefinitions ----
\* LET with constants, operators with parameters, functions and nesting.
EXTENDS Integers
VARIABLE x
Twice(n) == LET m == n + n IN m
Poly(n) == LET Sq(k) == k * k
               c == 7
               f[i \in 0..3] == i + c
           IN  Sq(n) + f[2]
Nested == LET a == 1 IN LET b == a + 1 IN LET c == b + 1 IN <<a, b, c>>
Init == x = Twice(2)
Next == LET y == x + 1 IN y < 8 /\ x' = y
Inv == Poly(3) = 18 /\ Nested = <<1, 2, 3>>
====
