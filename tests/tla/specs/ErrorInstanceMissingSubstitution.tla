---- MODULE ErrorInstanceMissingSubstitution ----
\* An instance without a substitute for a constant.
EXTENDS Integers
K == INSTANCE LibConst
ASSUME K!Doubled = 2
====
