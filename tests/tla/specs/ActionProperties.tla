---- MODULE ActionProperties ----
\* PROPERTY [][A]_v is checked on every step.
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == \/ x < 3 /\ x' = x + 1 /\ UNCHANGED y
        \/ x = 2 /\ x' = 0 /\ y' = 1
Spec == Init /\ [][Next]_vars
Rises == [][x' > x]_x
RisesUnlessMark == [][x' > x \/ y' = 1]_vars
YOnce == [][y' >= y]_y
====
