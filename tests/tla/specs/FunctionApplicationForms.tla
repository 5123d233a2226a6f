---- MODULE FunctionApplicationForms ----
\* Application binds tighter than every operator, also after parentheses and calls.
EXTENDS Integers
f == [i \in 1..3 |-> i + 1]
g(n) == [i \in 1..3 |-> n * i]
r == [h |-> f]
ASSUME f[1] + f[2] * 2 = 8
ASSUME g(10)[2] = 20
ASSUME r.h[3] = 4
ASSUME [i \in {1} |-> 5][1] = 5
ASSUME <<7, 8>>[1] = 7
ASSUME (IF TRUE THEN f ELSE g(1))[1] = 2
ASSUME f[f[1]] = 3
ASSUME -f[1] = -2
====
