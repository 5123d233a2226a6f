------------------------------ MODULE DagRules ------------------------------
(***************************************************************************)
(* The rules of the DAG protocol that are functions of their arguments:    *)
(* stakes and quorums, waves and leaders, ancestry, the chain of leaders   *)
(* that a commit decides, and the order in which a leader's history is     *)
(* delivered. No variable occurs here, so an engine may remember every     *)
(* result.                                                                 *)
(*                                                                         *)
(* Two shapes occur everywhere:                                            *)
(*   rows   a sequence of sets of nodes, one set per round from FirstRound *)
(*          upwards. Reliable broadcast admits one vertex per round and    *)
(*          creator, so within an epoch the creator names the vertex.      *)
(*   table  a sequence of functions, one per round: creator |-> parents.   *)
(*          It is what was broadcast in one epoch.                         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  N,                  \* number of nodes
  Stakes,             \* <<stakes of epoch 0, of epoch 1, ...>>, each <<stake of node 1, ..., N>>,
                      \*   repeated when epochs outnumber it; stake 0: not in the committee
  Leaders,            \* <<leaders of epoch 0, ...>>, each <<leader of wave 1, of wave 2, ...>>,
                      \*   both repeated when too short
  FAULT_FirstRound,   \* the model counts rounds from 1 where the protocol counts from 0
  FAULT_GenesisWave   \* the model leaves the genesis vertices outside wave 1

ASSUME ConstantsFit ==
  /\ N \in Nat \ {0}
  /\ Len(Stakes) > 0
  /\ \A i \in 1..Len(Stakes) : Len(Stakes[i]) = N
  /\ Len(Leaders) > 0
  /\ \A i \in 1..Len(Leaders) : Len(Leaders[i]) > 0
  /\ FAULT_FirstRound \in BOOLEAN
  /\ FAULT_GenesisWave \in BOOLEAN

Node == 1..N

-----------------------------------------------------------------------------
(* Committees and quorums *)

StakesOf(e) == Stakes[(e % Len(Stakes)) + 1]

Committee(e) == {q \in Node : StakesOf(e)[q] > 0}

RECURSIVE Weight(_, _)
Weight(stakes, members) ==
  IF members = {}
  THEN 0
  ELSE LET q == CHOOSE q \in members : TRUE
       IN  stakes[q] + Weight(stakes, members \ {q})

TotalStake(e) == Weight(StakesOf(e), Node)

\* More than two thirds of the stake, strictly.
Quorum(e, members) == 3 * Weight(StakesOf(e), members) > 2 * TotalStake(e)

-----------------------------------------------------------------------------
(* Rounds, waves and leaders *)

FirstRound == IF FAULT_FirstRound THEN 1 ELSE 0

\* Where a round stands in rows and tables.
Slot(r) == r - FirstRound + 1

RoundAt(slot) == slot + FirstRound - 1

RowAt(rows, slot) == IF slot <= Len(rows) THEN rows[slot] ELSE {}

\* Two rounds make a wave: 1 and 2, 3 and 4, ... Genesis belongs to wave 1.
Wave(r) ==
  IF r = 0
  THEN IF FAULT_GenesisWave THEN 0 ELSE 1
  ELSE (r + 1) \div 2

LeaderRound(w) == 2 * w - 1

VoteRound(w) == 2 * w

\* Leaders are drawn before the epoch starts; how, is no concern of the model.
Leader(e, w) ==
  LET leaders == Leaders[(e % Len(Leaders)) + 1]
  IN  leaders[((w - 1) % Len(leaders)) + 1]

-----------------------------------------------------------------------------
(* Ancestry *)

GenesisRow(e) == [q \in Committee(e) |-> {}]

Parents(table, r, q) == table[Slot(r)][q]

ParentsOfSet(table, r, members) == UNION {Parents(table, r, q) : q \in members}

\* The vertices of round `to` that some member of round `r` has among its ancestors.
RECURSIVE Ancestors(_, _, _, _)
Ancestors(table, r, members, to) ==
  IF r = to
  THEN members
  ELSE Ancestors(table, r - 1, ParentsOfSet(table, r, members), to)

\* Is the leader of wave x in the history of the leader of wave w?
LeaderReaches(e, table, w, x) ==
  Leader(e, x) \in Ancestors(table, LeaderRound(w), {Leader(e, w)}, LeaderRound(x))

-----------------------------------------------------------------------------
(* The commit rule *)

\* Vertices of the vote round, among those that a node holds, with an edge to the leader.
Voters(e, table, w, row) ==
  {q \in row : Leader(e, w) \in Parents(table, VoteRound(w), q)}

\* Waves below `top` whose leaders are decided with it, ascending: walk back from `x`, and take the
\* leader of each wave that the last one taken can reach.
RECURSIVE ChainBelow(_, _, _, _, _)
ChainBelow(e, table, top, x, decided) ==
  IF x <= decided
  THEN <<>>
  ELSE IF LeaderReaches(e, table, top, x)
       THEN Append(ChainBelow(e, table, x, x - 1, decided), x)
       ELSE ChainBelow(e, table, top, x - 1, decided)

\* All waves that a commit of wave w decides, ascending, w last.
Chain(e, table, w, decided) == Append(ChainBelow(e, table, w, w - 1, decided), w)

-----------------------------------------------------------------------------
(* Linearisation *)

Ascending(members) == SelectSeq([i \in 1..N |-> i], LAMBDA q : q \in members)

\* The history of `members` (of round r) that is not in `done`, as rows from FirstRound to r. What is
\* done is closed under parents, so a row without anything new ends the walk.
RECURSIVE Fresh(_, _, _, _)
Fresh(table, done, r, members) ==
  LET new == members \ RowAt(done, Slot(r)) IN
  IF new = {}
  THEN [slot \in 1..Slot(r) |-> {}]
  ELSE IF r = FirstRound
       THEN << IF FAULT_GenesisWave THEN {} ELSE new >>
       ELSE Append(Fresh(table, done, r - 1, ParentsOfSet(table, r, new)), new)

\* Rows as one sequence of <<round, creator>>, by round, then by creator.
RECURSIVE Linear(_, _)
Linear(rows, slot) ==
  IF slot = 0
  THEN <<>>
  ELSE LET creators == Ascending(rows[slot])
       IN  Linear(rows, slot - 1)
             \o [i \in 1..Len(creators) |-> <<RoundAt(slot), creators[i]>>]

\* Delivers the leaders of `waves` from the i-th on: one block each.
RECURSIVE DeliverFrom(_, _, _, _, _, _)
DeliverFrom(e, table, waves, i, done, blocks) ==
  IF i > Len(waves)
  THEN [done |-> done, blocks |-> blocks]
  ELSE LET top  == LeaderRound(waves[i])
           rows == Fresh(table, done, top, {Leader(e, waves[i])})
       IN  DeliverFrom(e, table, waves, i + 1,
                       [slot \in 1..Slot(top) |-> RowAt(done, slot) \cup rows[slot]],
                       Append(blocks, Linear(rows, Len(rows))))

-----------------------------------------------------------------------------
(* Properties of plain values. They hold for the model's own state and can *)
(* be asked of what an implementation reports.                             *)

IsPrefixOf(s, t) == Len(s) <= Len(t) /\ SubSeq(t, 1, Len(s)) = s

\* Of any two sequences one continues the other.
PrefixConsistent(sequences) ==
  \A s, t \in sequences : Len(s) <= Len(t) => IsPrefixOf(s, t)

\* No element occurs twice in a sequence of blocks.
RECURSIVE Total(_, _)
Total(blocks, i) == IF i = 0 THEN 0 ELSE Total(blocks, i - 1) + Len(blocks[i])

BlockSet(block) == {block[i] : i \in 1..Len(block)}

NoRepeats(blocks) ==
  Cardinality(UNION {BlockSet(blocks[i]) : i \in 1..Len(blocks)}) = Total(blocks, Len(blocks))

\* Rounds never fall within a block, so that parents come before children there.
RoundsAscend(block) ==
  \A i \in 1..(Len(block) - 1) : block[i][1] <= block[i + 1][1]

\* Every parent of a block's vertices is in that block or an earlier one. Genesis is exempt: whether
\* it is delivered at all is not a matter of order.
ParentsDelivered(table, block, delivered) ==
  \A i \in 1..Len(block) :
    LET r == block[i][1] IN
    r > FirstRound + 1 =>
      \A parent \in Parents(table, r, block[i][2]) : <<r - 1, parent>> \in delivered

\* `blocks` of one epoch, from the i-th on, continue the set `delivered` in causal order.
RECURSIVE CausallyOrdered(_, _, _, _)
CausallyOrdered(table, blocks, i, delivered) ==
  IF i > Len(blocks)
  THEN TRUE
  ELSE LET after == delivered \cup BlockSet(blocks[i])
       IN  /\ RoundsAscend(blocks[i])
           /\ ParentsDelivered(table, blocks[i], after)
           /\ CausallyOrdered(table, blocks, i + 1, after)

\* One row of a DAG stands on the row below it.
RowClosed(row, below, parents) ==
  \A q \in row : q \in DOMAIN parents /\ parents[q] \subseteq below

RowQuorate(e, row, parents) == \A q \in row : Quorum(e, parents[q])

RowSelfAncestored(row, parents) == \A q \in row : q \in parents[q]
=============================================================================
