---- MODULE TwoInitialPaths ----
\* The counterexample starts at the initial state that is nearest to the violation.
EXTENDS Integers
VARIABLE x
Init == x \in {0, 10}
Next == x' = x + 1
Bound == x < 30
Inv == x # 13
====
