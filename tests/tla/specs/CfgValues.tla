---- MODULE CfgValues ----
\* Every kind of value that a configuration can write.
EXTENDS Integers, FiniteSets
CONSTANTS Number, Text, Flag, Empty, Mixed, Deep
VARIABLE x
Init == x \in Mixed
Next == UNCHANGED x
Inv == /\ Number = 12
       /\ Text = "some text" /\ Flag = TRUE
       /\ Empty = {}
       /\ Deep = {{1, 2}, {}}
       /\ Cardinality(Mixed) = 2
====
