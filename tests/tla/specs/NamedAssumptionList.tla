---- MODULE NamedAssumptionList ----
\* An assumption may be a list of conjuncts and have a name.
EXTENDS Integers
ASSUME Sums ==
  /\ 1 + 1 = 2
  /\ 2 + 2 = 4
VARIABLE x
Init == x = 0
Next == x' = 1 - x
====
