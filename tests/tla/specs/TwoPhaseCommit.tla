---- MODULE TwoPhaseCommit ----
\* Two participants and a coordinator that decides commit when both are prepared.
EXTENDS Integers
VARIABLES state, decision
P == {"a", "b"}
Init == state = [p \in P |-> "working"] /\ decision = "none"
Prepare(p) == /\ state[p] = "working" /\ state' = [state EXCEPT ![p] = "prepared"]
              /\ UNCHANGED decision
Refuse(p) == /\ state[p] = "working" /\ state' = [state EXCEPT ![p] = "aborted"]
             /\ UNCHANGED decision
Decide == /\ decision = "none"
          /\ \/ (\A p \in P : state[p] = "prepared") /\ decision' = "commit"
             \/ (\E p \in P : state[p] = "aborted") /\ decision' = "abort"
          /\ UNCHANGED state
Learn(p) == /\ decision # "none" /\ state[p] = "prepared"
            /\ state' = [state EXCEPT ![p] = IF decision = "commit" THEN "committed" ELSE "aborted"]
            /\ UNCHANGED decision
Next == Decide \/ \E p \in P : Prepare(p) \/ Refuse(p) \/ Learn(p)
Agreement == ~(state["a"] = "committed" /\ state["b"] = "aborted")
             /\ ~(state["b"] = "committed" /\ state["a"] = "aborted")
====
