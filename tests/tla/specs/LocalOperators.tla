---- MODULE LocalOperators ----
\* LOCAL definitions are visible in their own module.
EXTENDS Integers
LOCAL Step(n) == n + 2
LOCAL limit == 6
VARIABLE x
Init == x = 0
Next == x < limit /\ x' = Step(x)
====
