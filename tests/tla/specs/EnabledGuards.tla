---- MODULE EnabledGuards ----
\* ENABLED in guards and invariants.
EXTENDS Integers
VARIABLES x, turn
Up == x < 2 /\ x' = x + 1
Jump == \E d \in 2..3 : x' = x + d /\ x' < 4
Init == x = 0 /\ turn = "up"
Next == \/ turn = "up" /\ Up /\ turn' = IF ENABLED Jump THEN "up" ELSE "rest"
        \/ ~ENABLED Up /\ turn # "end" /\ UNCHANGED x /\ turn' = "end"
Inv == /\ ENABLED Up <=> x < 2
       /\ ENABLED Jump <=> x < 2
       /\ ~ENABLED (x' = x /\ FALSE)
====
