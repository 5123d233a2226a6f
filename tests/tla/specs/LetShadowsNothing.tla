---- MODULE LetShadowsNothing ----
\* The same LET name in two operators, and nested calls.
EXTENDS Integers
F(n) == LET t == n + 1 IN t * 2
G(n) == LET t == F(n) IN t + F(t)
ASSUME F(1) = 4
ASSUME G(1) = 4 + 10
ASSUME LET t == 1
           u == t + 1
           v(w) == w + u
       IN  v(t) = 3
====
