---- MODULE ActionConstraints ----
\* ACTION_CONSTRAINT removes transitions.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' \in 0..4
Up == x' > x
Small == x' - x <= 2
====
