------------------------------ MODULE Outside -------------------------------
(***************************************************************************)
(* Raft as it is seen from outside: by who sees the messages between       *)
(* servers and when machines are restarted, but not what servers have      *)
(* processed and stored.                                                   *)
(*                                                                         *)
(* Each step is a message that somebody sends, or one that arrives. A      *)
(* message that has arrived may have been read, or not yet; what servers   *)
(* send at one moment over several connections may have been decided in    *)
(* another order. So guards compare what a server says with what it said   *)
(* before and with what had arrived, and never with its present state.     *)
(*                                                                         *)
(* Servers are named as they name themselves, since one may be replaced by *)
(* another on the same machine. An entry is known by its index and term.   *)
(*                                                                         *)
(*   here          in Raft                                                 *)
(*   Ask           Stand                                                   *)
(*   Vote          Grant                                                   *)
(*   Append        Lead with the first of a term; Store, Commit            *)
(*   Tell          Commit                                                  *)
(*   Snapshot      Compact                                                 *)
(*   Acknowledge   Accept, Acknowledge                                     *)
(*   Hear...       facts that UpdateTerm, Grant, Lead, Accept, Commit,     *)
(*                 Learn and Install may use from now on                   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Founders,   \* how many servers begin as a cluster
  First,      \* index of the last entry that they begin with, which is committed
  AtOnce,     \* a change of members counts once it is stored; FALSE: once it was applied, some time later
  AnswersAnyTerm,  \* deviation: a vote, in the voter's own term, answers a request of any term
  NamesSnapshotTerm,  \* deviation: without entries, the term of what lies before a snapshot is the snapshot's
  More        \* servers that a quorum needs beyond a majority; 0

VARIABLES
  \* What servers have said:
  home,       \* server |-> the node that it speaks from
  first,      \* node |-> the first server that spoke from there
  said,       \* server |-> the highest term that it has called its own
  floor,      \* server |-> the same, when its node was restarted the last time
  lines,      \* connection |-> the last term that was named on it
  asked,      \* <<server, term>> |-> the end of the log that it stood for election with
  voted,      \* <<server, term>> |-> for whom
  stored,     \* <<server, term>> |-> up to where it has said that it has the log of that term's leader
  latest,     \* server |-> the highest term in which it has said so
  leader,     \* term |-> who sends appends
  led,        \* term |-> (index |-> term): that leader's log, as far as it was sent
  told,       \* term |-> the highest commit index that it has told
  \* What follows for everybody:
  entries,    \* <<index, term>> |-> the entry, and the term of the one before
  chosen,     \* index |-> [term, by]: of the entry that is committed there, and the first term whose
              \* leader told so
  changes,    \* <<index, term>> |-> the members from there on
  \* What has arrived at them:
  requests,   \* <<voter, candidate, term>>
  ballots,    \* <<candidate, term>> |-> who has voted for it
  reach,      \* <<server, term>> |-> up to where it may have the log of that term's leader
  hears,      \* server |-> the highest term whose leader may have changed its log
  learned,    \* server |-> the highest commit index that it was told, or has told
  matched     \* term |-> (server |-> up to where its leader was told that it has its log)

speech == <<home, first, said, lines>>
vars == <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen, changes,
          requests, ballots, reach, hears, learned, matched>>

Nobody == ""
Nothing == [x \in {} |-> 0]

Init ==
  /\ home = Nothing /\ first = Nothing /\ said = Nothing /\ floor = Nothing /\ lines = Nothing
  /\ asked = Nothing /\ voted = Nothing /\ stored = Nothing /\ latest = Nothing
  /\ leader = Nothing /\ led = Nothing /\ told = Nothing
  /\ entries = Nothing /\ chosen = Nothing /\ changes = Nothing
  /\ requests = {} /\ ballots = Nothing
  /\ reach = Nothing /\ hears = Nothing /\ learned = Nothing /\ matched = Nothing

-----------------------------------------------------------------------------

Of(f, x, otherwise) == IF x \in DOMAIN f THEN f[x] ELSE otherwise

With(f, x, value) ==
  IF x \notin DOMAIN f THEN (x :> value) @@ f ELSE IF f[x] = value THEN f ELSE [f EXCEPT ![x] = value]

Max(a, b) == IF a < b THEN b ELSE a
Highest(S) == CHOOSE x \in S : \A y \in S : y <= x

Raised(f, x, value) == With(f, x, Max(value, Of(f, x, 0)))

-----------------------------------------------------------------------------
(* Members *)

\* As the founders began; not all of them may have spoken yet.
Beginning == [named |-> {}, gone |-> {}, learners |-> {}, founders |-> Founders]

\* Whoever speaks now among them.
FoundersSeen == {first'[n] : n \in DOMAIN first'}

Voters(members) ==
  members.named \cup (IF members.founders > 0 THEN FoundersSeen \ members.gone ELSE {})

VoterCount(members) ==
  members.founders - Cardinality(members.gone) + Cardinality(members.named)

IsQuorum(servers, members) ==
  Cardinality(servers \cap Voters(members)) >= VoterCount(members) \div 2 + 1 + More

After(change, members) ==
  LET kind == change[1]
      who  == {change[i] : i \in 2..Len(change)}
  IN
  CASE kind = "exactly" -> [named |-> who, gone |-> {}, learners |-> {}, founders |-> 0]
    [] kind = "learner" -> [members EXCEPT !.learners = @ \cup who]
    [] kind = "add"     -> [members EXCEPT !.named = @ \cup who, !.learners = @ \ who]
    [] kind = "remove"  ->
         [members EXCEPT !.named = @ \ who, !.learners = @ \ who,
                         !.gone = @ \cup (who \ (members.named \cup members.learners))]

\* Those before this index, in a log whose terms are not above this one.
MembersBefore(known, index, term) ==
  LET before == {k \in DOMAIN known : k[1] < index /\ k[2] <= term}
      newest == {k \in before : k[1] = Highest({b[1] : b \in before})}
  IN  IF before = {} THEN Beginning
      ELSE known[CHOOSE k \in newest : \A o \in newest : o[2] <= k[2]]

\* The changes with another one; what the founders began with says nothing new.
Changed(known, index, term, change) ==
  IF change = <<>> \/ <<index, term>> \in DOMAIN known \/ (index <= First /\ change[1] # "exactly")
  THEN known
  ELSE (<<index, term>> :> After(change, MembersBefore(known, index, term))) @@ known

RECURSIVE ChangedBy(_, _, _)
ChangedBy(known, index, brought) ==
  IF brought = <<>> THEN known
  ELSE ChangedBy(Changed(known, index + 1, brought[1].term, brought[1].change), index + 1, Tail(brought))

\* Members that a server may go by whose log may have these changes, and surely has the settled ones.
Configurations(possible, settled) ==
  LET newest == IF AtOnce /\ settled # {} THEN Highest({k[1] : k \in settled}) ELSE 0
  IN  {changes[k] : k \in {k \in possible : k[1] >= newest}}
        \cup (IF newest = 0 THEN {Beginning} ELSE {})

\* A leader of this term or a later one has this entry.
IsSettled(index, term, t) ==
  index \in DOMAIN chosen /\ chosen[index].term = term /\ chosen[index].by <= t

\* Those that the candidate of a term may go by, with the end of its log.
ElectedBy(t, index, last) ==
  LET possible == {k \in DOMAIN changes : k[1] <= index /\ k[2] <= last}
  IN  Configurations(possible, {k \in possible : IsSettled(k[1], k[2], t - 1)})

\* Those that the leader of a term with this log may go by when it commits up to here.
CommittedBy(t, log, index) ==
  LET possible == {k \in DOMAIN changes : Of(log, k[1], k[2]) = k[2]}
  IN  Configurations(possible, {k \in possible :
        k[1] <= index /\ (Of(log, k[1], -1) = k[2] \/ IsSettled(k[1], k[2], t))})

-----------------------------------------------------------------------------
(* What servers say *)

\* Every message: from where it lives; terms never go back, also not over a restart.
Speaks(n, s, t, line) ==
  /\ Of(home, s, n) = n                                      \* nobody else speaks for it
  /\ t >= Of(floor, s, 0)                                    \* a restart forgets no term
  /\ line # "" => t >= Of(lines, line, 0)                    \* terms never go back
  /\ home' = With(home, s, n)
  /\ first' = IF n \in DOMAIN first THEN first ELSE With(first, n, s)
  /\ said' = Raised(said, s, t)
  /\ lines' = IF line = "" THEN lines ELSE With(lines, line, t)

Speak(n, s, t, line) ==
  /\ Speaks(n, s, t, line)
  /\ UNCHANGED <<floor, asked, voted, stored, latest, leader, led, told, entries, chosen, changes,
                 requests, ballots, reach, hears, learned, matched>>

\* A log that ends like this is at least as new as what s has acknowledged to an earlier leader,
\* unless another one may have taken something away since.
HasAll(s, t, index, last) ==
  LET at == Of(latest, s, 0)
      end == Of(stored, <<s, at>>, 0)
      known == IF at \in DOMAIN led THEN Of(led[at], end, 0) ELSE 0
  IN  at < t /\ Of(hears, s, 0) <= at => last > known \/ (last = known /\ index >= end)

Ask(n, s, t, line, index, last) ==
  /\ Speaks(n, s, t, line)
  /\ Of(voted, <<s, t>>, s) = s                              \* it votes for itself
  /\ Of(asked, <<s, t>>, <<index, last>>) = <<index, last>>  \* and tells everybody the same
  /\ HasAll(s, t, index, last)                               \* it has what it has acknowledged
  /\ voted' = With(voted, <<s, t>>, s)
  /\ asked' = With(asked, <<s, t>>, <<index, last>>)
  /\ UNCHANGED <<floor, stored, latest, leader, led, told, entries, chosen, changes,
                 requests, ballots, reach, hears, learned, matched>>

\* It says for whom it has voted in this term, to that candidate or to another one.
Vote(n, s, t, line, candidate) ==
  /\ Speaks(n, s, t, line)
  /\ Of(voted, <<s, t>>, candidate) = candidate              \* one vote per term
  /\ candidate # s =>
       \E r \in requests :
         /\ r[1] = s /\ r[2] = candidate                     \* it was asked
         /\ AnswersAnyTerm \/ r[3] = t                       \* in this term
         \* By one whose log is as new as its own.
         /\ HasAll(s, t, asked[<<candidate, r[3]>>][1], asked[<<candidate, r[3]>>][2])
  /\ voted' = With(voted, <<s, t>>, candidate)
  /\ UNCHANGED <<floor, asked, stored, latest, leader, led, told, entries, chosen, changes,
                 requests, ballots, reach, hears, learned, matched>>

\* It is the leader of its term, or has just become it.
Leads(s, t) ==
  LET end == Of(asked, <<s, t>>, <<First, 1>>) IN
  IF t \in DOMAIN leader THEN leader[t] = s                  \* one leader per term
  ELSE
    /\ Of(voted, <<s, t>>, s) = s                            \* it has not voted for another one
    /\ \E members \in ElectedBy(t, end[1], end[2]) :            \* a majority has voted for it
         IsQuorum({s} \cup Of(ballots, <<s, t>>, {}), members)

\* The leader of a term with this log may have committed everything up to there.
MayCommit(s, t, log, commit) ==
  LET its == Of(matched, t, Nothing)
      ends == {its[v] : v \in DOMAIN its} \cup {Highest(DOMAIN log)}
  IN  \E end \in ends :
        /\ end >= commit
        /\ Of(log, end, 0) = t                               \* an entry of its own term
        /\ \E members \in CommittedBy(t, log, commit) :      \* and a majority has it
             \/ IsQuorum({s} \cup {v \in DOMAIN its : its[v] >= end}, members)
             \* One that was sent to nobody may have removed the only other member.
             \/ AtOnce /\ VoterCount(members) <= 2 /\
                  \E i \in DOMAIN log : log[i] = t /\ <<i, t>> \notin DOMAIN entries

\* So it may tell it.
MayTell(s, t, log, commit) ==
  \/ commit <= Max(Of(learned, s, First), Of(told, t, 0))     \* it was told so, or has said so
  \/ MayCommit(s, t, log, commit)
  \/ \E u \in DOMAIN leader \ {t} :                          \* it was the leader before
       leader[u] = s /\ DOMAIN Of(led, u, Nothing) # {} /\ MayCommit(s, u, led[u], commit)

\* What is committed in this log between these indexes is committed for ever.
Settles(t, log, indexes) ==
  LET news == {i \in indexes : i \notin DOMAIN chosen \/ chosen[i].by > t}
  IN
  /\ \A i \in indexes : i \in DOMAIN chosen => chosen[i].term = log[i]   \* nothing else is committed there
  /\ chosen' = IF news = {} THEN chosen
               ELSE [i \in news |-> [term |-> log[i], by |-> t]] @@ chosen

NewlyTold(t, log, commit) == {i \in (Of(told, t, 0) + 1)..commit : i \in DOMAIN log}

Append(n, s, t, line, index, last, brought, commit) ==
  LET count == Len(brought)
      TermAt(k) == IF k = 0 THEN last ELSE brought[k].term
      Entry(k) == [content |-> brought[k].content, before |-> TermAt(k - 1)]
      before == Of(led, t, Nothing)
      \* Where it may be the snapshot's, the term says nothing.
      is_bare == NamesSnapshotTerm /\ count = 0 /\ \E i \in DOMAIN before : i > index /\ before[i] = last
      places == IF is_bare THEN {} ELSE index..(index + count)
      new == {i \in places : i \notin DOMAIN before}
      log == IF new = {} THEN before ELSE before @@ [i \in new |-> TermAt(i - index)]
      fresh == {k \in 1..count : <<index + k, brought[k].term>> \notin DOMAIN entries}
      committed == {i \in places : i <= Max(commit, Of(told, t, 0)) /\ i > 0}
  IN
  /\ Speaks(n, s, t, line)
  /\ Leads(s, t)
  /\ \A k \in 1..count : TermAt(k) >= TermAt(k - 1) /\ TermAt(k) <= t     \* terms of a log rise
  /\ \A i \in places : log[i] = TermAt(i - index)                          \* a leader takes nothing back
  /\ \A k \in 1..count :                                                  \* index and term say what
       Of(entries, <<index + k, TermAt(k)>>, Entry(k)) = Entry(k)         \* it is, and what is before
  /\ \A i \in places :                                                    \* it has what was committed
       i \in DOMAIN chosen /\ chosen[i].by <= t => chosen[i].term = TermAt(i - index)
  /\ <<s, t>> \in DOMAIN asked =>                                         \* as when it was elected
       LET end == asked[<<s, t>>] IN
       \A i \in places : LET its == TermAt(i - index) IN
         IF i > end[1] THEN its = t ELSE IF i = end[1] THEN its = end[2] ELSE its <= end[2]
  /\ changes' = IF \A k \in 1..count : brought[k].change = <<>> THEN changes
                ELSE ChangedBy(changes, index, brought)
  /\ MayTell(s, t, log, commit)
  /\ Settles(t, log, NewlyTold(t, log, commit) \cup committed)
  /\ leader' = With(leader, t, s)
  /\ led' = IF new = {} /\ t \in DOMAIN led THEN led ELSE With(led, t, log)
  /\ told' = Raised(told, t, commit)
  /\ learned' = Raised(learned, s, commit)
  /\ entries' = IF fresh = {} THEN entries
                ELSE entries @@ [e \in {<<index + k, TermAt(k)>> : k \in fresh} |-> Entry(e[1] - index)]
  /\ UNCHANGED <<floor, asked, voted, stored, latest, requests, ballots, reach, hears, matched>>

\* A heartbeat without a place in the log.
Tell(n, s, t, line, commit) ==
  LET log == Of(led, t, Nothing) IN
  /\ Speaks(n, s, t, line)
  /\ Leads(s, t)
  /\ MayTell(s, t, log @@ (0 :> 0), commit)
  /\ Settles(t, log, NewlyTold(t, log, commit))
  /\ leader' = With(leader, t, s)
  /\ told' = Raised(told, t, commit)
  /\ learned' = Raised(learned, s, commit)
  /\ UNCHANGED <<floor, asked, voted, stored, latest, led, entries, changes, requests, ballots, reach,
                 hears, matched>>

\* What it stands for is committed.
Snapshot(n, s, t, line, index, last, members) ==
  LET log == (index :> last) @@ Of(led, t, Nothing) IN
  /\ Speaks(n, s, t, line)
  /\ Leads(s, t)
  /\ index \in DOMAIN Of(led, t, Nothing) => led[t][index] = last
  /\ MayTell(s, t, log, index)
  /\ Settles(t, log, {index})
  /\ leader' = With(leader, t, s)
  /\ led' = With(led, t, log)
  /\ changes' = Changed(changes, index, last, members)
  /\ UNCHANGED <<floor, asked, voted, stored, latest, told, entries, requests, ballots, reach, hears,
                 learned, matched>>

Acknowledge(n, s, t, line, index) ==
  /\ Speaks(n, s, t, line)
  /\ index <= Max(Of(reach, <<s, t>>, 0), Of(learned, s, First))   \* no more than it was sent
  /\ stored' = Raised(stored, <<s, t>>, index)
  /\ latest' = IF index = 0 THEN latest ELSE Raised(latest, s, t)
  /\ UNCHANGED <<floor, asked, voted, leader, led, told, entries, chosen, changes, requests, ballots,
                 reach, hears, learned, matched>>

-----------------------------------------------------------------------------
(* What arrives: it may be used from now on, unless the server has gone beyond that term *)

IsOld(s, t) == Of(said, s, 0) > t

HearAsk(n, s, from, t, index, last) ==
  /\ Of(asked, <<from, t>>, <<>>) = <<index, last>>          \* it was sent
  /\ requests' = IF IsOld(s, t) /\ ~AnswersAnyTerm THEN requests ELSE requests \cup {<<s, from, t>>}
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, ballots, reach, hears, learned, matched>>

HearVote(n, s, from, t, candidate) ==
  /\ Of(voted, <<from, t>>, Nobody) = candidate              \* it was sent
  /\ ballots' = IF candidate # s THEN ballots
                ELSE With(ballots, <<s, t>>, Of(ballots, <<s, t>>, {}) \cup {from})
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, requests, reach, hears, learned, matched>>

HearAppend(n, s, from, t, index, last, brought, commit) ==
  LET end == index + Len(brought) IN
  /\ Of(leader, t, Nobody) = from                            \* it was sent
  /\ \A k \in 1..Len(brought) :
       Of(entries, <<index + k, brought[k].term>>, Nothing).content = brought[k].content
  /\ commit <= Of(told, t, 0)
  /\ IF IsOld(s, t) THEN UNCHANGED <<reach, hears, learned>>
     ELSE /\ reach' = Raised(reach, <<s, t>>, end)
          /\ hears' = Raised(hears, s, t)
          /\ learned' = Raised(learned, s, commit)
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, requests, ballots, matched>>

HearTell(n, s, from, t, commit) ==
  /\ Of(leader, t, Nobody) = from /\ commit <= Of(told, t, 0)   \* it was sent
  /\ learned' = IF IsOld(s, t) THEN learned ELSE Raised(learned, s, commit)
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, requests, ballots, reach, hears, matched>>

HearSnapshot(n, s, from, t, index, last) ==
  /\ Of(leader, t, Nobody) = from /\ IsSettled(index, last, t)   \* it was sent
  /\ IF IsOld(s, t) THEN UNCHANGED <<reach, hears, learned>>
     ELSE /\ reach' = Raised(reach, <<s, t>>, index)
          /\ hears' = Raised(hears, s, t)
          /\ learned' = Raised(learned, s, index)
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, requests, ballots, matched>>

HearAcknowledgement(n, s, from, t, index) ==
  /\ index <= Of(stored, <<from, t>>, -1)                    \* it was sent
  /\ matched' = With(matched, t, Raised(Of(matched, t, Nothing), from, index))
  /\ UNCHANGED <<speech, floor, asked, voted, stored, latest, leader, led, told, entries, chosen,
                 changes, requests, ballots, reach, hears, learned>>

-----------------------------------------------------------------------------

\* What its servers have said binds them afterwards as well.
Restart(n) ==
  /\ floor' = [s \in {s \in DOMAIN said : home[s] = n} |-> said[s]] @@ floor
  /\ UNCHANGED <<speech, asked, voted, stored, latest, leader, led, told, entries, chosen, changes,
                 requests, ballots, reach, hears, learned, matched>>

\* Nothing walks through this model: steps come from what was seen.
Next == \E n \in DOMAIN first : Restart(n)
=============================================================================
