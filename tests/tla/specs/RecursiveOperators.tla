---- MODULE RecursiveOperators ----
\* RECURSIVE operators, also mutually recursive and over sets.
EXTENDS Integers, Sequences
RECURSIVE Sum(_), Even(_), Odd(_), Reverse(_), Power(_, _)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \in S : TRUE IN x + Sum(S \ {x})
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
Reverse(s) == IF s = <<>> THEN <<>> ELSE Append(Reverse(Tail(s)), Head(s))
Power(b, n) == IF n = 0 THEN 1 ELSE b * Power(b, n - 1)
ASSUME Sum(1..10) = 55
ASSUME Even(10) /\ ~Even(7) /\ Odd(7)
ASSUME Reverse(<<1, 2, 3>>) = <<3, 2, 1>>
ASSUME Power(2, 16) = 65536
ASSUME LET RECURSIVE Down(_)
           Down(n) == IF n = 0 THEN <<0>> ELSE <<n>> \o Down(n - 1)
       IN  Down(3) = <<3, 2, 1, 0>>
====
