---- MODULE TlcRegisters ----
\* TLCSet and TLCGet in assumptions.
EXTENDS Integers, TLC
ASSUME TLCSet(1, 5)
ASSUME TLCGet(1) = 5
ASSUME TLCSet(1, TLCGet(1) + 1) /\ TLCGet(1) = 6
ASSUME TLCSet(2, {"a"}) /\ TLCGet(2) = {"a"}
====
