---- MODULE IdentifierShapes ----
\* Identifiers with digits and underscores, and names close to keywords.
EXTENDS Integers
VARIABLES x_1, _y, INIT, IN_, Let
2x == 4
WF == 1
a__b == 2
Init == x_1 = 2x /\ _y = WF /\ INIT = a__b /\ IN_ = 0 /\ Let = 0
Next == UNCHANGED <<x_1, _y, INIT, IN_, Let>>
====
