---- MODULE InitForms ----
\* Initial predicates with disjunction, IF, quantifiers, LET and membership.
EXTENDS Integers
VARIABLES x, y
Init == /\ \/ x = 1
           \/ x \in {2, 3}
           \/ \E i \in 4..5 : x = i * 10
        /\ IF x < 10 THEN y = 0 ELSE y \in {0, 1}
        /\ LET z == x + y IN z # 41
Next == UNCHANGED <<x, y>>
====
