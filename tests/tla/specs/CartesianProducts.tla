---- MODULE CartesianProducts ----
\* The product of three sets is not a nested product of two.
EXTENDS Integers, FiniteSets
VARIABLE t
Init == t \in (1..2) \X (1..3) \X BOOLEAN
Next == UNCHANGED t
Inv == /\ t[1] \in 1..2 /\ t[2] \in 1..3 /\ t[3] \in BOOLEAN
       /\ DOMAIN t = 1..3
       /\ <<1, 2, TRUE>> \notin ((1..2) \X (1..3)) \X BOOLEAN
       /\ <<<<1, 2>>, TRUE>> \in ((1..2) \X (1..3)) \X BOOLEAN
       /\ Cardinality((1..2) \X (1..3)) = 6
       /\ (1..2) \X {} = {}
       /\ <<3, -1>> \in Nat \X Int
       /\ <<-1, 3>> \notin Nat \X Int
====
