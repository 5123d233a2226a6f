---- MODULE ErrorDivisionByZero ----
\* Division by zero.
EXTENDS Integers
VARIABLE x
Init == x = 2
Next == x' = 6 \div x - 3
====
