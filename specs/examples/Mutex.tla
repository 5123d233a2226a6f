------------------------------- MODULE Mutex -------------------------------
(* A ticket lock in PlusCal. `dissensus tla translate` writes the           *)
(* translation below the algorithm; `dissensus tla check` uses it.          *)
EXTENDS Naturals

CONSTANTS Clients, Rounds

(*
--algorithm Mutex {
  variables next = 0, serving = 0;

  fair process (client \in Clients)
    variables ticket = 0, left = Rounds;
  {
    idle:  while (left > 0) {
             left := left - 1;
    draw:    ticket := next;
             next := next + 1;
    enter:   await serving = ticket;
    inside:  skip;
    leave:   serving := serving + 1;
           }
  }
}
*)
\* BEGIN TRANSLATION (chksum(pcal) = "982f1d68" /\ chksum(tla) = "8704343")
VARIABLES pc, next, serving, ticket, left

vars == << pc, next, serving, ticket, left >>

ProcSet == (Clients)

Init == (* Global variables *)
        /\ next = 0
        /\ serving = 0
        (* Process client *)
        /\ ticket = [self \in Clients |-> 0]
        /\ left = [self \in Clients |-> Rounds]
        /\ pc = [self \in ProcSet |-> "idle"]

idle(self) == /\ pc[self] = "idle"
              /\ IF left[self] > 0
                    THEN /\ left' = [left EXCEPT ![self] = left[self] - 1]
                         /\ pc' = [pc EXCEPT ![self] = "draw"]
                    ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                         /\ left' = left
              /\ UNCHANGED << next, serving, ticket >>

draw(self) == /\ pc[self] = "draw"
              /\ ticket' = [ticket EXCEPT ![self] = next]
              /\ next' = next + 1
              /\ pc' = [pc EXCEPT ![self] = "enter"]
              /\ UNCHANGED << serving, left >>

enter(self) == /\ pc[self] = "enter"
               /\ serving = ticket[self]
               /\ pc' = [pc EXCEPT ![self] = "inside"]
               /\ UNCHANGED << next, serving, ticket, left >>

inside(self) == /\ pc[self] = "inside"
                /\ TRUE
                /\ pc' = [pc EXCEPT ![self] = "leave"]
                /\ UNCHANGED << next, serving, ticket, left >>

leave(self) == /\ pc[self] = "leave"
               /\ serving' = serving + 1
               /\ pc' = [pc EXCEPT ![self] = "idle"]
               /\ UNCHANGED << next, ticket, left >>

client(self) == idle(self) \/ draw(self) \/ enter(self) \/ inside(self)
                   \/ leave(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in Clients: client(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Clients : WF_vars(client(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 

OnlyOne == \A p, q \in Clients : p # q => ~(pc[p] = "inside" /\ pc[q] = "inside")
=============================================================================
