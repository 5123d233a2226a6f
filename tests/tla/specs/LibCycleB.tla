---- MODULE LibCycleB ----
EXTENDS ErrorCyclicExtends
Two == 2
====
