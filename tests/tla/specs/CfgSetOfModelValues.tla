---- MODULE CfgSetOfModelValues ----
\* The same model value in two constants is the same value.
EXTENDS FiniteSets
CONSTANTS All, Some, One
VARIABLE x
Init == x \in All
Next == x' \in Some
Inv == Some \subseteq All /\ One \in Some
====
