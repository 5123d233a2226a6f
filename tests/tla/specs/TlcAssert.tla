---- MODULE TlcAssert ----
\* Assert is TRUE when it holds and an error with its text when not.
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == /\ Assert(x < 3, <<"too far", x>>)
        /\ x' = x + 1
Inv == Assert(TRUE, "never shown")
====
