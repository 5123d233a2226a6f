---- MODULE SetEquality ----
\* Equal sets written in different ways are one state.
EXTENDS Integers
VARIABLE s
Init == \/ s = {1, 2, 3}
        \/ s = 1..3
        \/ s = {3, 3, 2, 1, 1}
        \/ s = {i \in 0..9 : i * i \in 1..9}
        \/ s = UNION {{1}, {2, 3}}
        \/ s = {i + 1 : i \in 0..2}
        \/ s = (1..5) \ {4, 5}
        \/ s = DOMAIN <<"a", "b", "c">>
Next == UNCHANGED s
Inv == s = {2, 1, 3}
====
