---- MODULE ChooseInState ----
\* A value chosen from outside of a set, as models do for "none".
EXTENDS Integers
None == CHOOSE v \in 0..9 : v \notin 1..9
VARIABLE x
Init == x = None
Next == x' \in {None, 5}
Inv == x \in {0, 5}
====
