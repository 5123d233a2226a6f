---- MODULE CfgDefinitionValue ----
\* A definition may be given a value by the configuration.
EXTENDS Integers
Size == 100
Mode == "slow"
VARIABLE x
Init == x \in 1..Size
Next == UNCHANGED x
Inv == Mode = "fast"
====
