---- MODULE ShortCircuit ----
\* Conjunction, disjunction, implication and IF evaluate from the left and stop early.
EXTENDS Integers, Sequences
VARIABLE s
Bad == 1 = "a"
Init == s = <<>>
Next == \/ s = <<>> /\ s' = <<1>>
        \/ s # <<>> /\ Head(s) = 1 /\ UNCHANGED s
Inv == /\ ~(FALSE /\ Bad)
       /\ TRUE \/ Bad
       /\ FALSE => Bad
       /\ IF TRUE THEN TRUE ELSE Bad
       /\ (s # <<>>) => Head(s) = 1
       /\ ~(\A x \in {1, 2} : x > 1 /\ Bad)
====
