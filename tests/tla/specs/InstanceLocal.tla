---- MODULE InstanceLocal ----
\* A LOCAL instance can be used in its own module.
EXTENDS Integers
LOCAL INSTANCE LibConst WITH Value <- 5
LOCAL K == INSTANCE LibConst WITH Value <- 6
ASSUME Doubled = 10
ASSUME Plus(1) = 6
ASSUME K!Doubled = 12
====
