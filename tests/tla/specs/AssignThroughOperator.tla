---- MODULE AssignThroughOperator ----
\* A primed variable handed to an ordinary operator is assigned there.
EXTENDS Integers
VARIABLES box, n
Put(old, new, v) == new = [old EXCEPT !.value = v]
Init == box = [value |-> 0] /\ n = 0
Next == /\ Put(box, box', n)
        /\ n' = (n + 1) % 2
====
