---- MODULE RecordFieldNames ----
\* Field names may be words that the language uses elsewhere as identifiers.
EXTENDS Integers
r == [x |-> 1, Nat |-> 2, _u |-> 3, a1 |-> 4]
x == 10
ASSUME r.x = 1
ASSUME r.Nat = 2
ASSUME r._u = 3
ASSUME r.a1 + r.x * x = 14
ASSUME [x |-> x].x = 10
====
