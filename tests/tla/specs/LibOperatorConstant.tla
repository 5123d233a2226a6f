---- MODULE LibOperatorConstant ----
EXTENDS Integers
CONSTANTS Op(_, _), Zero
Three(x) == Op(x, Op(x, Op(x, Zero)))
====
