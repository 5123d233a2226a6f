---- MODULE ErrorMemberType ----
\* Looking for a number among strings compares them.
ASSUME 1 \in {"a", "b"}
====
