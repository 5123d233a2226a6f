---- MODULE BooleanVariables ----
\* Boolean variables as guards and as assigned comparisons.
VARIABLES p, q
Init == p = FALSE /\ q = TRUE
Next == \/ p /\ p' = ~p /\ q' = (p = q)
        \/ ~p /\ p' = q /\ q' = (p => q)
Inv == p \/ q
====
