---- MODULE NamedAssumptions ----
\* Named assumptions, theorems and lemmas are operators that can be used.
EXTENDS Integers
CONSTANT N
ASSUME Positive == N > 0
THEOREM Sums == 1 + 1 = 2
LEMMA Small == N < 10
  OBVIOUS
VARIABLE x
Init == x = IF Positive THEN N ELSE 0
Next == x' = x
Inv == Sums /\ Small /\ Positive
ASSUME Small
====
