---- MODULE ErrorLessThanType ----
\* Ordering strings.
EXTENDS Integers
ASSUME "a" < "b"
====
