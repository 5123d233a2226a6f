---- MODULE IfActions ----
\* IF and CASE around assignments.
EXTENDS Integers
VARIABLES x, phase
Init == x = 0 /\ phase = "up"
Next == /\ IF phase = "up" THEN x' = x + 1 ELSE x' = x - 1
        /\ CASE x' = 2 -> phase' = "down"
             [] x' = 0 -> phase' = "up"
             [] OTHER -> UNCHANGED phase
====
