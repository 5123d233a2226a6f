---- MODULE AlwaysProperty ----
\* PROPERTY []P is an invariant.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\ [][Next]_x
Low == [](x < 4)
Lower == [](x < 3)
First == x = 0
Second == x = 1
====
