---- MODULE SpecificationShapes ----
\* The order and nesting of the conjuncts of a specification do not matter.
EXTENDS Integers
VARIABLES x, y
A == x = 0
B == y = 0
Next == x' = 1 - x /\ y' = x
Spec == /\ A
        /\ /\ [][Next]_<<x, y>>
           /\ B
====
