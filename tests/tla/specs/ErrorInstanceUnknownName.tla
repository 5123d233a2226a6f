---- MODULE ErrorInstanceUnknownName ----
\* An operator that the instanced module does not have.
EXTENDS Integers
K == INSTANCE LibConst WITH Value <- 1
ASSUME K!Tripled = 3
====
