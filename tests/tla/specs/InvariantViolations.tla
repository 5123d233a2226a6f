---- MODULE InvariantViolations ----
\* Which invariant fails, and after how many steps.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == \E d \in 1..2 : x' = (x + d) % 7
Small == x < 4
NotThree == x # 3
AlwaysZero == x = 0
NeverZero == x # 0
Fine == x \in 0..6
====
