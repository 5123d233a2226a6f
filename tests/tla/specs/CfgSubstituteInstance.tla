---- MODULE CfgSubstituteInstance ----
\* A constant of the root is handed to an instance after replacement by the configuration.
EXTENDS Integers
CONSTANT Value
K == INSTANCE LibConst
VARIABLE x
Init == x = K!Doubled
Next == x' = K!Plus(0)
Seven == 7
====
