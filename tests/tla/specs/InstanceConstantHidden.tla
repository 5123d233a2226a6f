---- MODULE InstanceConstantHidden ----
\* The constants of an instanced module cannot be named from outside.
EXTENDS Integers
P == INSTANCE LibConst WITH Value <- 3
ASSUME P!Doubled = 6
ASSUME P!Value = 3
====
