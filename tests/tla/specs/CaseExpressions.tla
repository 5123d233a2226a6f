---- MODULE CaseExpressions ----
\* CASE with and without OTHER.
EXTENDS Integers
Sign(n) == CASE n > 0 -> 1 [] n = 0 -> 0 [] OTHER -> -1
Name(n) == CASE n = 1 -> "one" [] n = 2 -> "two"
Parity(n) == CASE n % 2 = 0 -> "even"
               [] n % 2 = 1 -> "odd"
ASSUME <<Sign(5), Sign(0), Sign(-3)>> = <<1, 0, -1>>
ASSUME Name(2) = "two"
ASSUME Parity(7) = "odd"
ASSUME (CASE TRUE -> 1 [] OTHER -> 2) + 1 = 2
ASSUME CASE FALSE -> FALSE [] OTHER -> TRUE
====
