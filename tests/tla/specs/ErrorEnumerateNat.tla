---- MODULE ErrorEnumerateNat ----
\* An infinite set cannot be enumerated.
EXTENDS Integers
ASSUME \A n \in Nat : n >= 0
====
