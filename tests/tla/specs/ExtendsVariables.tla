---- MODULE ExtendsVariables ----
\* Variables and actions of an extended module belong to the extending one.
EXTENDS LibVariables
VARIABLE c
Init == a = 0 /\ b = 0 /\ c = 0
Next == \/ AStep /\ UNCHANGED c
        \/ c = 0 /\ c' = 1 /\ UNCHANGED <<a, b>>
====
