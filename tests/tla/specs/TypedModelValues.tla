---- MODULE TypedModelValues ----
\* A typed model value may be compared with values of its type only.
EXTENDS Integers
CONSTANTS A, B, U
VARIABLE x
Init == x = A
Next == UNCHANGED x
Inv == x = A
Same == A # U
Mixed == A # B
Number == A # 1
====
