---- MODULE AliasIgnored ----
\* ALIAS changes how a counterexample is printed, not the search.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = x + 1
Small == x < 3
Shown == [x |-> x, double |-> 2 * x]
====
