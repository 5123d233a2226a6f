---- MODULE LibFacts ----
EXTENDS Integers
CONSTANT K
LEMMA Nonnegative == K >= 0
THEOREM Low == K < 4
PROOF OMITTED
====
