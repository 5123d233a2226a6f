---- MODULE Jugs ----
\* Two jugs of three and five litres.
EXTENDS Integers
VARIABLES three, five
Min(a, b) == IF a < b THEN a ELSE b
Init == three = 0 /\ five = 0
Fill == (three' = 3 /\ UNCHANGED five) \/ (five' = 5 /\ UNCHANGED three)
Empty == (three' = 0 /\ UNCHANGED five) \/ (five' = 0 /\ UNCHANGED three)
Pour == \/ LET n == Min(three, 5 - five) IN three' = three - n /\ five' = five + n
        \/ LET n == Min(five, 3 - three) IN five' = five - n /\ three' = three + n
Next == Fill \/ Empty \/ Pour
TypeOK == three \in 0..3 /\ five \in 0..5
NotFour == five # 4
====
