---- MODULE Peterson ----
\* Mutual exclusion of two processes.
EXTENDS Integers
VARIABLES pc, flag, turn
Init == pc = <<"idle", "idle">> /\ flag = <<FALSE, FALSE>> /\ turn = 1
Ask(i) == /\ pc[i] = "idle" /\ pc' = [pc EXCEPT ![i] = "give"]
          /\ flag' = [flag EXCEPT ![i] = TRUE] /\ UNCHANGED turn
Give(i) == /\ pc[i] = "give" /\ pc' = [pc EXCEPT ![i] = "wait"]
           /\ turn' = 3 - i /\ UNCHANGED flag
Enter(i) == /\ pc[i] = "wait" /\ (~flag[3 - i] \/ turn = i)
            /\ pc' = [pc EXCEPT ![i] = "critical"] /\ UNCHANGED <<flag, turn>>
Leave(i) == /\ pc[i] = "critical" /\ pc' = [pc EXCEPT ![i] = "idle"]
            /\ flag' = [flag EXCEPT ![i] = FALSE] /\ UNCHANGED turn
Next == \E i \in 1..2 : Ask(i) \/ Give(i) \/ Enter(i) \/ Leave(i)
Exclusion == ~(pc[1] = "critical" /\ pc[2] = "critical")
FlagOK == \A i \in 1..2 : flag[i] <=> pc[i] # "idle"
====
