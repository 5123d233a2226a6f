---- MODULE RecursiveHigherOrder ----
\* A recursive operator that takes an operator.
EXTENDS Integers, Sequences
Apply(F(_), x) == F(x)
Combine(Op(_, _), a, b) == Op(a, b)
Inc(n) == n + 1
RECURSIVE Fold(_, _, _)
Fold(Op(_, _), base, s) == IF s = <<>> THEN base ELSE Op(Head(s), Fold(Op, base, Tail(s)))
Join(a, b) == a \cup b
ASSUME Apply(Inc, 1) = 2
ASSUME Combine(+, 2, 3) = 5
ASSUME Combine(\cup, {1}, {2}) = {1, 2}
ASSUME Combine(Join, {1}, {3}) = {1, 3}
ASSUME Fold(+, 0, <<1, 2, 3>>) = 6
ASSUME Fold(-, 0, <<5, 2, 1>>) = 4
ASSUME Fold(LAMBDA a, b : Append(b, a), <<>>, <<1, 2>>) = <<2, 1>>
ASSUME Combine(=, 1, 1)
ASSUME Combine(\in, 1, {1})
====
