------------------------------- MODULE MCDag --------------------------------
(***************************************************************************)
(* Instances of Dag for the .cfg files beside it, and a coarser            *)
(* next-state relation for exhaustive checks of whole waves.               *)
(***************************************************************************)
EXTENDS Dag

EqualStakes == << [p \in 1..N |-> 1] >>

\* Node 1 is part of every quorum; with N = 3 one of the others completes it.
HeavyFirst == << [p \in 1..N |-> IF p = 1 THEN N - 1 ELSE 1] >>

\* The last node joins in epoch 1 and the first one leaves.
Shifted == << [p \in 1..N |-> IF p = N THEN 0 ELSE 1], [p \in 1..N |-> IF p = 1 THEN 0 ELSE 1] >>

\* The same committee, and the weight moves from the first node to the last.
WeightMoves == <<
  [p \in 1..N |-> IF p = 1 THEN N - 1 ELSE 1],
  [p \in 1..N |-> IF p = N THEN N - 1 ELSE 1] >>

\* Members in turn, per epoch. Wave 1 belongs to the lowest member.
RoundRobin ==
  [i \in 1..Len(Stakes) |->
    SelectSeq([p \in 1..N |-> p], LAMBDA p : Stakes[i][p] > 0)]

\* Wave 1 belongs to the highest member, which with HeavyFirst is often left out and skipped.
ReverseRobin ==
  [i \in 1..Len(Stakes) |->
    LET up == SelectSeq([p \in 1..N |-> p], LAMBDA p : Stakes[i][p] > 0)
    IN  [k \in 1..Len(up) |-> up[Len(up) + 1 - k]]]

(***************************************************************************)
(* What p holds matters to others only when it leaves a round. Receive and *)
(* Add of p commute with every step of other nodes until then, so for the  *)
(* decisions one step will do: p obtains some vertices of its round with   *)
(* their histories and moves on.                                           *)
(***************************************************************************)
\* Well formed with its whole history, so that a correct node may come to hold it.
RECURSIVE Acceptable(_, _, _, _)
Acceptable(e, table, r, q) ==
  r > FirstRound =>
    /\ Quorum(e, Parents(table, r, q))
    /\ q \in Parents(table, r, q)
    /\ \A parent \in Parents(table, r, q) : Acceptable(e, table, r - 1, parent)

Obtainable(p) ==
  LET table == Table(epoch[p]) IN
  {q \in DOMAIN table[Slot(round[p])] : Acceptable(epoch[p], table, round[p], q)}

With(p, more) ==
  [slot \in 1..Slot(round[p]) |->
    dag[p][slot] \cup Ancestors(Table(epoch[p]), round[p], more, RoundAt(slot))]

Round(p, more) ==
  /\ alive[p]
  /\ IsMember(p)
  /\ Quorum(epoch[p], CurrentRow(p) \cup more)
  /\ Advance(p, With(p, more), CurrentRow(p) \cup more)

CoarseNext ==
  \/ \E p \in Early : \E more \in SUBSET (Obtainable(p) \ CurrentRow(p)) : Round(p, more)
  \/ \E p \in Leaving : EpochChange(p)
  \/ \E p \in Crashable : Crash(p)
  \/ \E p \in Node : Recover(p)
  \/ \E p \in Byzantine \cap Early : \E parents \in SUBSET CurrentRow(p) : Forge(p, parents)

(***************************************************************************)
(* Witnesses: each must fail in an instance that is worth checking.        *)
(***************************************************************************)
NobodyDecides == \A p \in Node : leaders[p] = <<>>

NobodySkipsAWave == \A p \in Node : leaders[p] # <<>> => leaders[p][1][1] = 1

NobodyChangesEpoch == \A p \in Node : epoch[p] = 0

\* Fails where a leader without a quorum of votes is decided through a later one.
OneLeaderAtATime == [][\A p \in Node : Len(leaders'[p]) <= Len(leaders[p]) + 1]_vars
=============================================================================
