---- MODULE InstanceInfix ----
\* Infix operators of an instance, written with the prefix form.
EXTENDS Integers
VARIABLE x
C == INSTANCE LibCounter WITH Bound <- 10, count <- x
Init == x = C!\oplus(1, 2)
Next == UNCHANGED x
Inv == x = 13
====
