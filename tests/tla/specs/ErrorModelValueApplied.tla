---- MODULE ErrorModelValueApplied ----
\* A model value is no function.
CONSTANT Nil
ASSUME Nil[1] = 2
====
