---- MODULE InstanceNested ----
\* An instance inside an instanced module is reached with two bangs.
EXTENDS Integers
P == INSTANCE LibPair WITH First <- 3, Second <- 4
ASSUME P!Total = 14
ASSUME P!Inner!Doubled = 14
ASSUME P!Inner!Plus(1) = 8
====
