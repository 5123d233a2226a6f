-------------------------------- MODULE Raft --------------------------------
(***************************************************************************)
(* Raft (Ongaro and Ousterhout 2014; Ongaro's thesis, 2014) with pre-vote, *)
(* changes of membership one server at a time, transfer of leadership and  *)
(* snapshots.                                                              *)
(*                                                                         *)
(* Messages are not modelled one by one. What servers ask, grant and       *)
(* acknowledge are facts that are never forgotten and may be used at any   *)
(* later moment, or never: every delay, loss, repetition and reordering.   *)
(* What a leader sends in its term is a stretch of its log of that term,   *)
(* which only grows; `led` keeps it. A log is whole in the model: a        *)
(* snapshot is the number of entries that it stands for.                   *)
(*                                                                         *)
(* Each action takes the arguments that determine its result, so that an   *)
(* implementation which names actions and arguments can be followed step   *)
(* by step.                                                                *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Server,
  Founders,           \* members of the first configuration
  PreVote,            \* candidates ask first whether they would be elected
  CountsOlderTerms,   \* deviation: entries of earlier terms are committed by counting (5.4.2)
  ChangesEarly,       \* deviation: a leader changes voters before it has committed in its term
  StandsAgain,        \* deviation: a candidate that was not elected stands again without asking
  AcknowledgesMore    \* deviation: a server acknowledges all it has, also what the leader has not

ASSUME ConstantsFit ==
  /\ Founders \subseteq Server
  /\ PreVote \in BOOLEAN
  /\ CountsOlderTerms \in BOOLEAN
  /\ ChangesEarly \in BOOLEAN
  /\ StandsAgain \in BOOLEAN
  /\ AcknowledgesMore \in BOOLEAN

None == -1

VARIABLES
  \* Per server. Term, vote, log and base survive a restart.
  role,        \* "follower", "candidate" or "leader"
  term,
  vote,        \* for whom in this term, or None
  log,         \* entries [term, kind, voters]
  base,        \* how many entries its snapshot stands for
  commit,      \* how many entries it knows to be committed
  \* Facts.
  asked,       \* requests for votes: [from, term, index, last, pre]
  granted,     \* <<voter, candidate, term, pre>>
  handed,      \* <<server, term>>: told by the leader of that term to stand for election at once
  led,         \* term |-> the log of its leader, as far as it got in that term
  ledCommit,   \* term |-> how much of it that leader had committed
  acks         \* <<term, server, index>>: it has stored that leader's log up to there; the highest

local == <<role, term, vote, log, base, commit>>
facts == <<asked, granted, handed, led, ledCommit, acks>>
vars == <<local, facts>>

-----------------------------------------------------------------------------

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(a, b) == IF a < b THEN a ELSE b

LastTerm(l) == IF Len(l) = 0 THEN 0 ELSE l[Len(l)].term

Changes(l) == {i \in 1..Len(l) : l[i].kind = "change"}

\* A configuration counts from the moment it is in the log.
Voters(l) == IF Changes(l) = {} THEN {} ELSE l[Max(Changes(l))].voters

IsQuorum(servers, voters) == 2 * Cardinality(servers \cap voters) > Cardinality(voters)

\* A log that ends like this has at least what l has (5.4.1).
UpToDate(index, last, l) == last > LastTerm(l) \/ (last = LastTerm(l) /\ index >= Len(l))

SamePrefix(a, b, n) == n <= Len(a) /\ n <= Len(b) /\ SubSeq(a, 1, n) = SubSeq(b, 1, n)

Difference(a, b) == (a \ b) \cup (b \ a)

Matched(t, s) == {a[3] : a \in {a \in acks : a[1] = t /\ a[2] = s}}

-----------------------------------------------------------------------------

First == [term |-> 1, kind |-> "change", voters |-> Founders]

Init ==
  /\ role = [s \in Server |-> "follower"]
  /\ term = [s \in Server |-> IF s \in Founders THEN 1 ELSE 0]
  /\ vote = [s \in Server |-> None]
  /\ log = [s \in Server |-> IF s \in Founders THEN <<First>> ELSE <<>>]
  /\ base = [s \in Server |-> 0]
  /\ commit = [s \in Server |-> IF s \in Founders THEN 1 ELSE 0]
  /\ asked = {}
  /\ granted = {}
  /\ handed = {}
  /\ led = [t \in {} |-> <<>>]
  /\ ledCommit = [t \in {} |-> 0]
  /\ acks = {}

-----------------------------------------------------------------------------
(* Elections *)

UpdateTerm(s, t) ==
  /\ t > term[s]
  /\ \E q \in Server \ {s} : term[q] >= t           \* somebody is or was in that term
  /\ term' = [term EXCEPT ![s] = t]
  /\ vote' = [vote EXCEPT ![s] = None]
  /\ role' = [role EXCEPT ![s] = "follower"]
  /\ UNCHANGED <<log, base, commit, facts>>

StepDown(s) ==
  /\ role[s] # "follower"
  /\ role' = [role EXCEPT ![s] = "follower"]
  /\ UNCHANGED <<term, vote, log, base, commit, facts>>

Request(s, t, pre) ==
  [from |-> s, term |-> t, index |-> Len(log[s]), last |-> LastTerm(log[s]), pre |-> pre]

AskPre(s) ==
  /\ PreVote
  /\ role[s] # "leader"
  /\ s \in Voters(log[s])
  /\ asked' = asked \cup {Request(s, term[s] + 1, TRUE)}
  /\ UNCHANGED <<local, granted, handed, led, ledCommit, acks>>

\* A pre-vote binds nobody.
GrantPre(v, c, t) ==
  /\ t >= term[v]
  /\ \E m \in asked :
       m.from = c /\ m.term = t /\ m.pre /\ UpToDate(m.index, m.last, log[v])
  /\ granted' = granted \cup {<<v, c, t, TRUE>>}
  /\ UNCHANGED <<local, asked, handed, led, ledCommit, acks>>

\* A new election, by its own clock or because the leader said so.
Stand(s, forced) ==
  LET t == term[s] + 1
      willing == {s} \cup {v \in Server : <<v, s, t, TRUE>> \in granted}
  IN
  /\ role[s] # "leader"
  /\ s \in Voters(log[s])
  /\ forced => \E h \in handed : h[1] = s /\ h[2] <= term[s]
  /\ PreVote /\ ~forced =>
       (StandsAgain /\ role[s] = "candidate") \/ IsQuorum(willing, Voters(log[s]))
  /\ term' = [term EXCEPT ![s] = t]
  /\ vote' = [vote EXCEPT ![s] = s]
  /\ role' = [role EXCEPT ![s] = "candidate"]
  /\ asked' = asked \cup {Request(s, t, FALSE)}
  /\ granted' = granted \cup {<<s, s, t, FALSE>>}
  /\ UNCHANGED <<log, base, commit, handed, led, ledCommit, acks>>

Grant(v, c) ==
  /\ vote[v] \in {None, c}
  /\ \E m \in asked :
       m.from = c /\ m.term = term[v] /\ ~m.pre /\ UpToDate(m.index, m.last, log[v])
  /\ vote' = [vote EXCEPT ![v] = c]
  /\ granted' = granted \cup {<<v, c, term[v], FALSE>>}
  /\ UNCHANGED <<role, term, log, base, commit, asked, handed, led, ledCommit, acks>>

Lead(s) ==
  /\ role[s] = "candidate"                          \* it stood for election in this term
  /\ IsQuorum({v \in Server : <<v, s, term[s], FALSE>> \in granted}, Voters(log[s]))
  /\ role' = [role EXCEPT ![s] = "leader"]
  /\ led' = (term[s] :> log[s]) @@ led
  /\ ledCommit' = (term[s] :> commit[s]) @@ ledCommit
  /\ UNCHANGED <<term, vote, log, base, commit, asked, granted, handed, acks>>

HandOver(s, to) ==
  /\ role[s] = "leader"
  /\ to \in Voters(log[s]) \ {s}
  /\ handed' = handed \cup {<<to, term[s]>>}
  /\ UNCHANGED <<local, asked, granted, led, ledCommit, acks>>

-----------------------------------------------------------------------------
(* The log *)

\* A client's command, a barrier, or another set of voters.
Store(s, kind, voters) ==
  LET entry == [term |-> term[s], kind |-> kind, voters |-> voters] IN
  /\ role[s] = "leader"
  /\ kind = "change" =>
       /\ \A i \in Changes(log[s]) : i <= commit[s]                    \* one at a time
       /\ Cardinality(Difference(voters, Voters(log[s]))) <= 1         \* one server at a time
       \* Ongaro's correction of 2015: only in a term in which something was committed.
       /\ \/ ChangesEarly
          \/ voters = Voters(log[s])                                     \* nobody gets or loses a vote
          \/ \E i \in 1..commit[s] : log[s][i].term = term[s]
  /\ log' = [log EXCEPT ![s] = Append(@, entry)]
  /\ led' = [led EXCEPT ![term[s]] = log'[s]]
  /\ UNCHANGED <<role, term, vote, base, commit, asked, granted, handed, ledCommit, acks>>

\* A server has the leader's log up to n; what contradicted it is gone.
Accept(s, n) ==
  /\ role[s] = "follower"
  /\ term[s] \in DOMAIN led
  /\ n <= Len(led[term[s]])
  /\ n < Len(log[s]) => ~SamePrefix(log[s], led[term[s]], n)           \* an old message removes nothing
  /\ log' = [log EXCEPT ![s] = SubSeq(led[term[s]], 1, n)]
  /\ UNCHANGED <<role, term, vote, base, commit, facts>>

\* It says so; leaders say it to themselves.
Acknowledge(s, n) ==
  /\ term[s] \in DOMAIN led
  /\ n <= Len(log[s])
  /\ AcknowledgesMore \/ n <= Len(led[term[s]])                        \* nothing that was not sent
  /\ AcknowledgesMore \/ SamePrefix(log[s], led[term[s]], n)
  /\ LET best == Max({n} \cup Matched(term[s], s)) IN
     acks' = {a \in acks : ~(a[1] = term[s] /\ a[2] = s)} \cup {<<term[s], s, best>>}
  /\ UNCHANGED <<local, asked, granted, handed, led, ledCommit>>

Commit(s, n) ==
  /\ role[s] = "leader"
  /\ n > commit[s]
  /\ n <= Len(log[s])
  /\ IsQuorum({v \in Server : \E m \in Matched(term[s], v) : m >= n}, Voters(log[s]))
  /\ CountsOlderTerms \/ log[s][n].term = term[s]                      \* 5.4.2
  /\ commit' = [commit EXCEPT ![s] = n]
  /\ ledCommit' = [ledCommit EXCEPT ![term[s]] = n]
  /\ UNCHANGED <<role, term, vote, log, base, asked, granted, handed, led, acks>>

\* The leader of its term has told it.
Learn(s, n) ==
  /\ term[s] \in DOMAIN led
  /\ n > commit[s]
  /\ n <= ledCommit[term[s]]
  /\ SamePrefix(log[s], led[term[s]], n)
  /\ commit' = [commit EXCEPT ![s] = n]
  /\ UNCHANGED <<role, term, vote, log, base, facts>>

-----------------------------------------------------------------------------
(* Snapshots and restarts *)

Compact(s, n) ==
  /\ n > base[s]
  /\ n <= commit[s]
  /\ base' = [base EXCEPT ![s] = n]
  /\ UNCHANGED <<role, term, vote, log, commit, facts>>

\* A leader's snapshot stands for entries that it has committed.
Install(s, n) ==
  /\ role[s] # "leader"
  /\ n > commit[s]
  /\ \E t \in DOMAIN led :
       /\ t <= term[s]
       /\ n <= ledCommit[t]
       /\ log' = [log EXCEPT ![s] = SubSeq(led[t], 1, n)]
  /\ base' = [base EXCEPT ![s] = n]
  /\ commit' = [commit EXCEPT ![s] = n]
  /\ UNCHANGED <<role, term, vote, facts>>

Restart(s) ==
  /\ role' = [role EXCEPT ![s] = "follower"]
  \* The first entry is the same everywhere and committed from the start.
  /\ commit' = [commit EXCEPT ![s] = IF base[s] > 0 THEN base[s] ELSE Min(1, Len(log[s]))]
  /\ UNCHANGED <<term, vote, log, base, facts>>

-----------------------------------------------------------------------------
(* Properties: figure 3 of the paper *)

ElectionSafety ==
  \A a, b \in Server : role[a] = "leader" /\ role[b] = "leader" /\ term[a] = term[b] => a = b

LogMatching ==
  \A a, b \in Server : \A i \in 1..Min(Len(log[a]), Len(log[b])) :
    log[a][i].term = log[b][i].term => SamePrefix(log[a], log[b], i)

\* What a leader committed is in the log of every leader of a later term.
LeaderCompleteness ==
  \A t \in DOMAIN led : \A later \in DOMAIN led :
    later > t => SamePrefix(led[t], led[later], ledCommit[t])

StateMachineSafety ==
  \A a, b \in Server : SamePrefix(log[a], log[b], Min(commit[a], commit[b]))

TypeOK ==
  /\ role \in [Server -> {"follower", "candidate", "leader"}]
  /\ \A s \in Server :
       /\ vote[s] \in Server \cup {None}
       /\ base[s] <= commit[s] /\ commit[s] <= Len(log[s])
       /\ role[s] = "leader" => term[s] \in DOMAIN led /\ log[s] = led[term[s]]

=============================================================================
