---- MODULE ErrorModelValueMember ----
\* A model value is no set.
CONSTANT Nil
ASSUME 1 \in Nil
====
