---- MODULE BooleanOperators ----
\* Truth tables of the connectives.
EXTENDS Integers
VARIABLES p, q
Init == p \in BOOLEAN /\ q \in BOOLEAN
Next == UNCHANGED <<p, q>>
Inv == /\ (p => q) = (~p \/ q)
       /\ (p <=> q) = (p = q)
       /\ (p \equiv q) = ((p => q) /\ (q => p))
       /\ \neg(p /\ q) = ((~p) \/ (~q))
       /\ (p \land q) = (p /\ q)
       /\ (p \lor q) = (p \/ q)
       /\ (\lnot p) = (p # TRUE)
       /\ (p /= q) = ~(p = q)
====
