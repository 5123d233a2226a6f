---- MODULE ErrorNonBooleanGuard ----
\* A guard that is a number.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == /\ x
        /\ x' = 2
====
