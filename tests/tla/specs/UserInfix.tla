---- MODULE UserInfix ----
\* User definitions of infix operator symbols.
EXTENDS Integers
a ++ b == a + b + 100
a \oplus b == (a + b) % 5
a %% b == <<a, b>>
a ## b == a * 10 + b
a \prec b == a < b
a <: b == a \subseteq b
a & b == a /\ b
a \sqcup b == IF a > b THEN a ELSE b
ASSUME 1 ++ 2 = 103
ASSUME 3 \oplus 4 = 2
ASSUME 1 %% 2 = <<1, 2>>
ASSUME 4 ## 2 = 42
ASSUME 1 \prec 2
ASSUME {1} <: {1, 2}
ASSUME TRUE & TRUE
ASSUME 3 \sqcup 7 = 7
====
