---- MODULE LibStart ----
EXTENDS Integers
VARIABLE x
Start == x = 0
LInit == Start
LNext == x' = (x + 1) % 4
LSpec == LInit /\ [][LNext]_x
====
