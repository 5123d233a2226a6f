---- MODULE LetActions ----
\* LET around primed expressions, and operators that take primed arguments.
EXTENDS Integers
VARIABLE x
Assign(v) == x' = v
Less(a, b) == a < b
Init == x = 0
Next == LET y == x + 1
            Do == Assign(y)
        IN  /\ Do
            /\ Less(x, x')
            /\ Less(x', 4)
====
