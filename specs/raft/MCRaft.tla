------------------------------- MODULE MCRaft -------------------------------
(***************************************************************************)
(* Bounded instances of Raft. Steps that change nothing are left out, and  *)
(* a server acknowledges all that it has.                                  *)
(***************************************************************************)
EXTENDS Raft

CONSTANTS
  MaxTerm,      \* no election beyond this term
  MaxLen,       \* no log longer than this
  Kinds,        \* of entries that leaders store
  Snapshots,    \* do servers compact and install?
  Restarts

Symmetry == Permutations(Server)

\* For comparisons with servers that no longer have the beginning of their log.
TermsOf(l) == [i \in 1..Len(l) |-> l[i].term]
Reversed(seq) == [i \in 1..Len(seq) |-> seq[Len(seq) + 1 - i]]

\* Voters of the next configuration: one more or one less.
NextVoters(s) ==
  ({Voters(log[s]) \cup {q} : q \in Server} \cup {Voters(log[s]) \ {q} : q \in Server})
    \ {{}, Voters(log[s])}

Elections ==
  \E s \in Server :
    \/ \E t \in 1..MaxTerm : UpdateTerm(s, t)
    \/ StepDown(s)
    \/ term[s] < MaxTerm /\ AskPre(s)
    \/ \E c \in Server : \E t \in 1..MaxTerm : s # c /\ GrantPre(s, c, t)
    \/ \E forced \in BOOLEAN : term[s] < MaxTerm /\ Stand(s, forced)
    \/ \E c \in Server : s # c /\ Grant(s, c)
    \/ Lead(s)

Logs ==
  \E s \in Server :
    \/ \E kind \in Kinds \ {"change"} : Len(log[s]) < MaxLen /\ Store(s, kind, {})
    \/ /\ "change" \in Kinds
       /\ Len(log[s]) < MaxLen
       /\ \E voters \in NextVoters(s) : Store(s, "change", voters)
    \/ \E n \in 1..MaxLen :
         \/ Accept(s, n) /\ log' # log
         \/ n = Len(log[s]) /\ Acknowledge(s, n) /\ acks' # acks
         \/ Commit(s, n)
         \/ Learn(s, n)
    \/ Snapshots /\ \E n \in 1..MaxLen : Compact(s, n) \/ Install(s, n)
    \/ Restarts /\ Restart(s)

Handing == \E s, to \in Server : HandOver(s, to)

MCNext == Elections \/ Logs
HandingNext == MCNext \/ Handing

=============================================================================
