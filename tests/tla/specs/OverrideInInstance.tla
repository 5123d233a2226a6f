---- MODULE OverrideInInstance ----
\* A value for a definition of an instanced module: "none" chosen from outside of a set.
EXTENDS Integers
CONSTANT Items
VARIABLE x
L == INSTANCE LibNone
Init == x = L!None
Next == x' \in Items \cup {L!None}
Inv == x \in Items \cup {L!None} /\ L!None \notin Items
====
