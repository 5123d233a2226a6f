---- MODULE UserPostfixAndPrefix ----
\* User definitions of postfix operators and of unary minus.
x^+ == {x}
x^* == <<x, x>>
x^# == x
-. x == <<"minus", x>>
ASSUME 3^+ = {3}
ASSUME 3^* = <<3, 3>>
ASSUME {}^# = {}
ASSUME - 3 = <<"minus", 3>>
ASSUME (3^+)^* = <<{3}, {3}>>
====
