---- MODULE TlcPrint ----
\* Print returns its second argument, PrintT is TRUE.
EXTENDS Integers, TLC
VARIABLE x
Init == x = Print("start", 1) /\ PrintT(<<"init", x>>)
Next == x' = 3 - x /\ PrintT("step")
====
