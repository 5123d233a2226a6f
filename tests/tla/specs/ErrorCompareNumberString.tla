---- MODULE ErrorCompareNumberString ----
\* Comparing a number with a string is an error, not FALSE.
EXTENDS Integers
VARIABLE x
Init == x = 1
Next == /\ x = "a"
        /\ UNCHANGED x
====
