---- MODULE LibConst ----
EXTENDS Integers
CONSTANT Value
Doubled == 2 * Value
Plus(n) == Value + n
====
