---- MODULE CfgModuleSubstitution ----
\* A definition of one extended or instanced module replaced with <-[Module].
EXTENDS Integers
B == INSTANCE LibBig
VARIABLE x
TwoItems == {"a", "b"}
Init == x \in B!Items
Next == UNCHANGED x
Items == 5
Inv == Items = 5
====
