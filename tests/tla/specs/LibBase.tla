---- MODULE LibBase ----
EXTENDS Integers
Limit == 3
LOCAL Hidden == 100
Step(n) == n + 1
====
