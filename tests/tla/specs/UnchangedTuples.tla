---- MODULE UnchangedTuples ----
\* UNCHANGED of a variable, of a tuple, of a nested definition of tuples.
EXTENDS Integers
VARIABLES a, b, c, d
ab == <<a, b>>
rest == <<c, <<d>>>>
Init == a = 0 /\ b = 0 /\ c = 0 /\ d = 0
Next == \/ a = 0 /\ a' = 1 /\ UNCHANGED b /\ UNCHANGED rest
        \/ b = 0 /\ b' = 1 /\ UNCHANGED <<a, c, d>>
        \/ c = 0 /\ c' = 1 /\ UNCHANGED <<ab, d>>
        \/ d = 0 /\ d' = 1 /\ UNCHANGED ab /\ UNCHANGED c
====
