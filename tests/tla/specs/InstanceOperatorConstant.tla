---- MODULE InstanceOperatorConstant ----
\* An operator constant of an instance is replaced by an operator, an infix symbol or a LAMBDA.
EXTENDS Integers, Sequences
Times == INSTANCE LibOperatorConstant WITH Op <- *, Zero <- 1
Join(a, b) == <<a>> \o b
List == INSTANCE LibOperatorConstant WITH Op <- Join, Zero <- <<>>
Sum == INSTANCE LibOperatorConstant WITH Op <- LAMBDA a, b : a + b, Zero <- 0
ASSUME Times!Three(2) = 8
ASSUME List!Three("x") = <<"x", "x", "x">>
ASSUME Sum!Three(5) = 15
====
