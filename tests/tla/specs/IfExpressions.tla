---- MODULE IfExpressions ----
\* Nested IF, IF as an operand, IF that reaches to the right.
EXTENDS Integers
Max(a, b) == IF a > b THEN a ELSE b
Clamp(n) == IF n < 0 THEN 0 ELSE IF n > 9 THEN 9 ELSE n
ASSUME Max(3, 8) = 8
ASSUME <<Clamp(-4), Clamp(4), Clamp(40)>> = <<0, 4, 9>>
ASSUME (IF TRUE THEN 1 ELSE 2) + 10 = 11
ASSUME (IF FALSE THEN 1 ELSE 2 + 10) = 12
ASSUME IF 1 < 2 THEN TRUE ELSE FALSE /\ FALSE
====
