---- MODULE ParameterNames ----
\* Parameters are bound statically: an argument that mentions an equal name of the caller is safe.
EXTENDS Integers
Pick(x, S) == {y \in S : y > x}
Wrap(y) == Pick(y, {1, 2, 3, y + 3})
Twice(F(_), y) == F(F(y))
Outer(x) == Twice(LAMBDA z : z + x, x)
ASSUME Wrap(2) = {3, 5}
ASSUME Outer(3) = 9
ASSUME \A x \in {1} : Outer(x + 1) = 6
====
