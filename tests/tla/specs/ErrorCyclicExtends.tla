---- MODULE ErrorCyclicExtends ----
\* Two modules that extend each other.
EXTENDS LibCycleB
One == 1
====
