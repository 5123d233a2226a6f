---- MODULE OperatorArguments ----
\* Operators as arguments: named, infix, built-in and passed on.
EXTENDS Integers, Sequences
Apply(F(_), x) == F(x)
ApplyTwice(F(_), x) == Apply(F, Apply(F, x))
Combine(Op(_, _), a, b) == Op(a, b)
Inc(n) == n + 1
Join(a, b) == a \cup b
Fold(Op(_, _), base, s) ==
  LET acc[i \in 0..Len(s)] == IF i = 0 THEN base ELSE Op(acc[i - 1], s[i]) IN acc[Len(s)]
ASSUME Apply(Inc, 1) = 2
ASSUME ApplyTwice(Inc, 1) = 3
ASSUME Combine(+, 2, 3) = 5
ASSUME Combine(\cup, {1}, {2}) = {1, 2}
ASSUME Combine(Join, {1}, {3}) = {1, 3}
ASSUME Fold(+, 0, <<1, 2, 3>>) = 6
ASSUME Fold(-, 10, <<5, 2, 1>>) = 2
ASSUME Combine(=, 1, 1)
ASSUME Combine(\in, 1, {1})
ASSUME Combine(\o, <<1>>, <<2>>) = <<1, 2>>
====
