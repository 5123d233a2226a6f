------------------------------- MODULE Peterson -------------------------------
(* Two processes share a critical section by flags and courtesy. A process     *)
(* that is not Polite gives the turn to itself.                                *)
EXTENDS Integers

CONSTANT Polite

VARIABLES at,     \* where a process is: "idle", "flagged", "waiting", "critical"
          wants,  \* whether it wants to enter
          turn    \* who goes first when both want to

vars == <<at, wants, turn>>
Processes == {0, 1}
Other(p) == 1 - p

Init ==
  /\ at = [p \in Processes |-> "idle"]
  /\ wants = [p \in Processes |-> FALSE]
  /\ turn \in Processes

Ask(p) ==
  /\ at[p] = "idle"
  /\ at' = [at EXCEPT ![p] = "flagged"]
  /\ wants' = [wants EXCEPT ![p] = TRUE]
  /\ UNCHANGED turn

GiveWay(p) ==
  /\ at[p] = "flagged"
  /\ at' = [at EXCEPT ![p] = "waiting"]
  /\ turn' = IF Polite THEN Other(p) ELSE p
  /\ UNCHANGED wants

Enter(p) ==
  /\ at[p] = "waiting"
  /\ ~wants[Other(p)] \/ turn = p
  /\ at' = [at EXCEPT ![p] = "critical"]
  /\ UNCHANGED <<wants, turn>>

Leave(p) ==
  /\ at[p] = "critical"
  /\ at' = [at EXCEPT ![p] = "idle"]
  /\ wants' = [wants EXCEPT ![p] = FALSE]
  /\ UNCHANGED turn

Next == \E p \in Processes : Ask(p) \/ GiveWay(p) \/ Enter(p) \/ Leave(p)

Spec == Init /\ [][Next]_vars

\* Nobody has to ask, but who has begun goes on.
Fair == Spec /\ \A p \in Processes : WF_vars(GiveWay(p) \/ Enter(p) \/ Leave(p))

Enters == \A p \in Processes : wants[p] ~> at[p] = "critical"
AsksAgain == \A p \in Processes : []<>wants[p]

MutualExclusion == ~(at[0] = "critical" /\ at[1] = "critical")
===============================================================================
