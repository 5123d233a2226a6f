---- MODULE CfgOverrideNat ----
\* Replacing the set of naturals makes an unbounded definition finite.
EXTENDS Integers
VARIABLE x
FewNumbers == 0..4
Init == x \in Nat
Next == x' \in {n \in Nat : n = x}
====
