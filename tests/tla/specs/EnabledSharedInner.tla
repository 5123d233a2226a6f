---- MODULE EnabledSharedInner ----
EXTENDS Naturals
VARIABLES x, y

Apart == ENABLED (x' = 0 /\ y' = 1)
Different == ENABLED (x # y /\ x' = 0 /\ y' = 1)
Step == x' = 1 - x /\ y' = 1 - y
====
