------------------------------- MODULE TwoPhase -------------------------------
(* A coordinator asks participants to vote and tells all of them the outcome.  *)
(* With Hasty the coordinator does not wait for the last vote: then one        *)
(* participant may abort what the others commit.                               *)
EXTENDS FiniteSets, Integers

CONSTANTS Participants, Hasty

VARIABLES
  state,     \* of each participant: "working", "prepared", "committed", "aborted"
  outcome,   \* what the coordinator decided: "none", "commit", "abort"
  votes,     \* participants whose yes has reached the coordinator
  messages   \* everything that was sent; messages are not lost, but may be late

vars == <<state, outcome, votes, messages>>

Vote(p)  == [type |-> "vote", from |-> p]
Commit   == [type |-> "commit"]
Abort    == [type |-> "abort"]

Enough(voters) ==
  IF Hasty THEN Cardinality(voters) >= Cardinality(Participants) - 1
           ELSE voters = Participants

Init ==
  /\ state = [p \in Participants |-> "working"]
  /\ outcome = "none"
  /\ votes = {}
  /\ messages = {}

(* Participants *)

Prepare(p) ==
  /\ state[p] = "working"
  /\ state' = [state EXCEPT ![p] = "prepared"]
  /\ messages' = messages \cup {Vote(p)}
  /\ UNCHANGED <<outcome, votes>>

GiveUp(p) ==
  /\ state[p] = "working"
  /\ state' = [state EXCEPT ![p] = "aborted"]
  /\ UNCHANGED <<outcome, votes, messages>>

Obey(p) ==
  /\ state[p] \in {"working", "prepared"}
  /\ \/ Commit \in messages /\ state' = [state EXCEPT ![p] = "committed"]
     \/ Abort \in messages /\ state' = [state EXCEPT ![p] = "aborted"]
  /\ UNCHANGED <<outcome, votes, messages>>

(* Coordinator *)

Receive(p) ==
  /\ outcome = "none"
  /\ Vote(p) \in messages
  /\ p \notin votes
  /\ votes' = votes \cup {p}
  /\ UNCHANGED <<state, outcome, messages>>

DecideCommit ==
  /\ outcome = "none"
  /\ Enough(votes)
  /\ outcome' = "commit"
  /\ messages' = messages \cup {Commit}
  /\ UNCHANGED <<state, votes>>

DecideAbort ==
  /\ outcome = "none"
  /\ outcome' = "abort"
  /\ messages' = messages \cup {Abort}
  /\ UNCHANGED <<state, votes>>

Finished ==
  /\ \A p \in Participants : state[p] \in {"committed", "aborted"}
  /\ outcome # "none"
  /\ UNCHANGED vars

Next ==
  \/ \E p \in Participants : Prepare(p) \/ GiveUp(p) \/ Obey(p) \/ Receive(p)
  \/ DecideCommit
  \/ DecideAbort
  \/ Finished

Spec == Init /\ [][Next]_vars

(* What must hold *)

TypeOK ==
  /\ state \in [Participants -> {"working", "prepared", "committed", "aborted"}]
  /\ outcome \in {"none", "commit", "abort"}
  /\ votes \subseteq Participants

Agreement ==
  \A p, q \in Participants : ~(state[p] = "committed" /\ state[q] = "aborted")

(* A participant does not change its mind. *)
Final == [][\A p \in Participants :
              state[p] \in {"committed", "aborted"} => state'[p] = state[p]]_vars
===============================================================================
