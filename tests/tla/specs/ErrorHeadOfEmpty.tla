---- MODULE ErrorHeadOfEmpty ----
\* The first element of nothing.
EXTENDS Integers, Sequences
VARIABLE q
Init == q = <<1>>
Next == q' = IF Head(q) = 1 THEN Tail(q) ELSE q
====
