---- MODULE LibVariables ----
EXTENDS Integers
VARIABLES a, b
AStep == a < 1 /\ a' = a + 1 /\ UNCHANGED b
====
