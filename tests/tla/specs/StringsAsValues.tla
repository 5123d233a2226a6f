---- MODULE StringsAsValues ----
\* Strings are values: equality, sets, domains.
EXTENDS Integers, Sequences
VARIABLE s
Init == s \in {"", "a", "A", "ab", "a"}
Next == UNCHANGED s
Inv == /\ s # "b"
       /\ "a" # "A"
       /\ {"x", "y"} = {"y", "x", "x"}
       /\ s \in STRING
====
