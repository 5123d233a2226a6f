---- MODULE Lambdas ----
\* LAMBDA as an argument of an operator, with one and with two parameters, capturing a bound name.
EXTENDS Integers, Sequences
Apply(F(_), x) == F(x)
Apply2(F(_, _), x, y) == F(x, y)
Map(F(_), s) == [i \in DOMAIN s |-> F(s[i])]
ASSUME Apply(LAMBDA n : n + 1, 4) = 5
ASSUME Apply2(LAMBDA a, b : a - b, 9, 4) = 5
ASSUME \A k \in 1..3 : Map(LAMBDA n : n * k, <<1, 2>>) = <<k, 2 * k>>
ASSUME Apply(LAMBDA n : Apply(LAMBDA m : m + n, 10), 1) = 11
ASSUME SelectSeq(<<1, 5, 2>>, LAMBDA n : n < 3) = <<1, 2>>
====
