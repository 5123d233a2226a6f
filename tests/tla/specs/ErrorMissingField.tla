---- MODULE ErrorMissingField ----
\* A record without the field.
EXTENDS Integers
VARIABLE r
Init == r = [a |-> 1]
Next == r' = [a |-> r.b]
====
