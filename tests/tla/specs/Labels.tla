---- MODULE Labels ----
\* Labels name subexpressions and change nothing.
EXTENDS Integers
VARIABLE x
Init == first:: x = 0
Next == /\ guard:: x < 2
        /\ step:: x' = x + 1
Inv == lab:: x \in 0..2
====
