-------------------------------- MODULE Dag ---------------------------------
(***************************************************************************)
(* A DAG consensus protocol. Committee members build a layered graph:      *)
(* whoever holds a quorum of round r creates a vertex of round r+1 whose   *)
(* parents are all round-r vertices it holds. Nothing is sent but vertices.*)
(* Every second round votes, by its edges, for one leader vertex of the    *)
(* round before; a leader with a quorum of votes is committed, together    *)
(* with the earlier leaders in its history, and each leader's history is   *)
(* delivered as a block. After EpochWaves leaders the committee changes.   *)
(*                                                                         *)
(* Broadcast is reliable: a slot (epoch, round, creator) has one vertex,   *)
(* and whoever receives it receives that one, sooner or later or never.    *)
(* Hence vertices are kept once, in `vertex`, and a node's DAG is a set of *)
(* creators per round. A message is in flight to p as long as p does not   *)
(* hold it.                                                                *)
(*                                                                         *)
(* Each action takes the arguments that determine its result, so that a    *)
(* log which names actions and arguments can be followed step by step.     *)
(***************************************************************************)
EXTENDS DagRules

CONSTANTS
  EpochWaves,         \* leaders per epoch; 0: the epoch never ends
  Byzantine,          \* nodes that may equivocate and forge
  BufferOnDisk,       \* does what was received but not added survive a crash?
  MaxRound,           \* bounds of Next; they do not bind the actions themselves
  MaxEpoch,
  MaxCrashed,
  CatchUp,            \* does Next let a node leave an epoch that it has not finished itself?
  FAULT_LeaderSentinel,         \* the view lists undecided waves too, with leader 0
  FAULT_EquivocationDelivered   \* both vertices of an equivocator arrive

ASSUME ProtocolConstantsFit ==
  /\ EpochWaves \in Nat
  /\ Byzantine \subseteq Node
  /\ BufferOnDisk \in BOOLEAN
  /\ CatchUp \in BOOLEAN
  /\ FAULT_LeaderSentinel \in BOOLEAN
  /\ FAULT_EquivocationDelivered \in BOOLEAN

VARIABLES
  vertex,      \* per epoch, per round: creator |-> parents. All that was ever broadcast
  twins,       \* slots <<epoch, round, creator>> for which a second vertex was sent
  alive,       \* per node, from here on
  epoch,
  round,
  dag,         \* rows of the current epoch
  buffer,      \* <<round, creator>> received and not yet added
  doubled,     \* <<round, creator>> received twice; only a fault fills it
  decided,     \* last decided wave of the current epoch
  leaders,     \* <<wave, creator>> of all decided leaders, over all epochs
  delivered,   \* rows of the current epoch that are in a block
  blocks       \* one sequence of <<round, creator>> per leader

vars == <<vertex, twins, alive, epoch, round, dag, buffer, doubled, decided, leaders, delivered, blocks>>

Correct == Node \ Byzantine

Init ==
  /\ vertex = << << GenesisRow(0) >> >>
  /\ twins = {}
  /\ alive = [p \in Node |-> TRUE]
  /\ epoch = [p \in Node |-> 0]
  /\ round = [p \in Node |-> FirstRound]
  /\ dag = [p \in Node |-> << Committee(0) >>]
  /\ buffer = [p \in Node |-> {}]
  /\ doubled = [p \in Node |-> {}]
  /\ decided = [p \in Node |-> 0]
  /\ leaders = [p \in Node |-> <<>>]
  /\ delivered = [p \in Node |-> <<>>]
  /\ blocks = [p \in Node |-> <<>>]

-----------------------------------------------------------------------------
(* What a node knows *)

Table(e) == vertex[e + 1]

Row(p, r) == dag[p][Slot(r)]

CurrentRow(p) == Row(p, round[p])

IsMember(p) == p \in Committee(epoch[p])

\* Was a vertex of this slot broadcast?
Exists(e, r, q) ==
  /\ r > FirstRound
  /\ Slot(r) <= Len(Table(e))
  /\ q \in DOMAIN Table(e)[Slot(r)]

InDag(p, r, q) == q \in RowAt(dag[p], Slot(r))

Holds(p, r, q) == <<r, q>> \in buffer[p] \/ InDag(p, r, q)

\* Every finished epoch has exactly EpochWaves leaders.
LeadersOfEpoch(p) == Len(leaders[p]) - EpochWaves * epoch[p]

Sealed(p) == EpochWaves > 0 /\ LeadersOfEpoch(p) >= EpochWaves

-----------------------------------------------------------------------------
(* Creating vertices, and committing *)

\* The waves that p decides when it leaves its round holding `row`: none unless it is a vote round
\* whose leader has a quorum of votes. The leader that fills the epoch is the last.
DecidedNow(p, row) ==
  LET e == epoch[p]
      w == Wave(round[p])
  IN  IF /\ round[p] = VoteRound(w)                           \* a round of votes is left
         /\ Quorum(e, Voters(e, Table(e), w, row))            \* votes: more than 2/3 of stake
      THEN LET chain == Chain(e, Table(e), w, decided[p])
               room  == EpochWaves - LeadersOfEpoch(p)
           IN  IF EpochWaves > 0 /\ Len(chain) > room THEN SubSeq(chain, 1, room) ELSE chain
      ELSE <<>>

Commit(p, waves) ==
  IF waves = <<>>
  THEN UNCHANGED <<decided, leaders, delivered, blocks>>
  ELSE LET e   == epoch[p]
           out == DeliverFrom(e, Table(e), waves, 1, delivered[p], blocks[p])
       IN  /\ decided' = [decided EXCEPT ![p] = waves[Len(waves)]]
           /\ leaders' = [leaders EXCEPT
                ![p] = @ \o [i \in 1..Len(waves) |-> <<waves[i], Leader(e, waves[i])>>]]
           /\ delivered' = [delivered EXCEPT ![p] = out.done]
           /\ blocks' = [blocks EXCEPT ![p] = out.blocks]

Broadcast(p, r, parents) ==
  LET at == epoch[p] + 1 IN
  vertex' = [vertex EXCEPT ![at] =
    IF Slot(r) > Len(@)
    THEN Append(@, p :> parents)
    ELSE [@ EXCEPT ![Slot(r)] = @ @@ (p :> parents)]]

\* p, holding `rows`, leaves its round with a new vertex that has these parents.
Advance(p, rows, parents) ==
  /\ Broadcast(p, round[p] + 1, parents)
  /\ round' = [round EXCEPT ![p] = @ + 1]
  /\ dag' = [dag EXCEPT ![p] = Append(rows, {p})]
  /\ Commit(p, DecidedNow(p, rows[Len(rows)]))
  /\ UNCHANGED <<twins, alive, epoch, buffer, doubled>>

NextRound(p) ==
  /\ alive[p]                                  \* crashed nodes do nothing
  /\ IsMember(p)                               \* only the committee creates vertices
  /\ Quorum(epoch[p], CurrentRow(p))           \* parents: more than 2/3 of stake
  /\ Advance(p, dag[p], CurrentRow(p))

-----------------------------------------------------------------------------
(* Receiving and adding *)

\* Reliable broadcast rules this out; with the fault it happens once per slot.
TwinArrives(p, r, q) ==
  /\ FAULT_EquivocationDelivered
  /\ <<epoch[p], r, q>> \in twins
  /\ <<r, q>> \notin doubled[p]

\* The vertex of q in round r arrives at p and is well formed.
Receive(p, q, r) ==
  /\ alive[p]                                             \* crashed nodes do nothing
  /\ IsMember(p)                                          \* only the committee listens
  /\ Exists(epoch[p], r, q)                               \* it was broadcast in p's epoch
  /\ ~Holds(p, r, q) \/ TwinArrives(p, r, q)              \* once per slot
  /\ Quorum(epoch[p], Parents(Table(epoch[p]), r, q))     \* its parents are a quorum
  /\ q \in Parents(Table(epoch[p]), r, q)                 \* its creator's own vertex among them
  /\ buffer' = [buffer EXCEPT ![p] = IF Holds(p, r, q) THEN @ ELSE @ \cup {<<r, q>>}]
  /\ doubled' = [doubled EXCEPT ![p] = IF Holds(p, r, q) THEN @ \cup {<<r, q>>} ELSE @]
  /\ UNCHANGED <<vertex, twins, alive, epoch, round, dag, decided, leaders, delivered, blocks>>

\* A buffered vertex enters p's DAG.
Add(p, q, r) ==
  /\ alive[p]                                                        \* crashed nodes do nothing
  /\ <<r, q>> \in buffer[p]                                          \* received before
  /\ r <= round[p]                                                   \* not ahead of p's own round
  /\ Parents(Table(epoch[p]), r, q) \subseteq RowAt(dag[p], Slot(r - 1))  \* its parents are there
  /\ dag' = [dag EXCEPT ![p][Slot(r)] = @ \cup {q}]
  /\ buffer' = [buffer EXCEPT ![p] = @ \ {<<r, q>>}]
  /\ UNCHANGED <<vertex, twins, alive, epoch, round, doubled, decided, leaders, delivered, blocks>>

-----------------------------------------------------------------------------
(* Epochs *)

\* Who has finished p's epoch.
Finished(p) == {q \in Node : epoch[q] > epoch[p]}

\* Members with a third of the stake have finished: one of them is correct.
Supported(p) ==
  3 * Weight(StakesOf(epoch[p]), Finished(p)) >= TotalStake(epoch[p])

\* Once somebody has finished, p looks through all it holds: the votes for some wave may be complete
\* although they were not when p left their round, and that wave's chain may fill the epoch.
Completes(p) ==
  /\ Finished(p) # {}
  /\ \E w \in (decided[p] + 1)..(round[p] \div 2) :
       LET e == epoch[p] IN
       /\ Quorum(e, Voters(e, Table(e), w, Row(p, VoteRound(w))))
       /\ LeadersOfEpoch(p) + Len(Chain(e, Table(e), w, decided[p])) >= EpochWaves

\* Whose record of the epoch p takes over: its own, or that of anybody who has finished. Their first
\* leaders and blocks are all the same.
Source(p) == IF Sealed(p) THEN p ELSE CHOOSE q \in Finished(p) : TRUE

Enter(p, e, itsLeaders, itsBlocks) ==
  /\ vertex' = IF Len(vertex) = e THEN Append(vertex, << GenesisRow(e) >>) ELSE vertex
  /\ epoch' = [epoch EXCEPT ![p] = e]
  /\ round' = [round EXCEPT ![p] = FirstRound]
  /\ dag' = [dag EXCEPT ![p] = << Committee(e) >>]
  /\ buffer' = [buffer EXCEPT ![p] = {}]
  /\ doubled' = [doubled EXCEPT ![p] = {}]
  /\ decided' = [decided EXCEPT ![p] = 0]
  /\ leaders' = [leaders EXCEPT ![p] = itsLeaders]
  /\ delivered' = [delivered EXCEPT ![p] = <<>>]
  /\ blocks' = [blocks EXCEPT ![p] = itsBlocks]
  /\ UNCHANGED <<twins, alive>>

\* The sealed history of p's epoch becomes round 0 of the next one. Until then a member may go on
\* creating vertices, which decide nothing more.
EpochChange(p) ==
  /\ alive[p]                                  \* crashed nodes do nothing
  /\ \/ Sealed(p)                              \* all leaders are decided,
     \/ Supported(p)                           \* or enough others say which they are,
     \/ Completes(p)                           \* or p has what decides them
  /\ LET count == EpochWaves * (epoch[p] + 1)
     IN  Enter(p, epoch[p] + 1,
               SubSeq(leaders[Source(p)], 1, count), SubSeq(blocks[Source(p)], 1, count))

-----------------------------------------------------------------------------
(* The environment *)

Crash(p) ==
  /\ alive[p]                                  \* once at a time
  /\ alive' = [alive EXCEPT ![p] = FALSE]
  /\ buffer' = [buffer EXCEPT ![p] = IF BufferOnDisk THEN @ ELSE {}]
  /\ UNCHANGED <<vertex, twins, epoch, round, dag, doubled, decided, leaders, delivered, blocks>>

\* The DAG and everything decided were on disk.
Recover(p) ==
  /\ ~alive[p]                                 \* only who crashed
  /\ alive' = [alive EXCEPT ![p] = TRUE]
  /\ UNCHANGED <<vertex, twins, epoch, round, dag, buffer, doubled, decided, leaders, delivered, blocks>>

\* p sends a second vertex for the slot of its last one. Reliable broadcast lets at most one of the
\* two through; `vertex` holds that one, so nobody sees a difference.
Equivocate(p) ==
  /\ p \in Byzantine                                  \* correct nodes never do
  /\ alive[p]                                         \* crashed nodes do nothing
  /\ Exists(epoch[p], round[p], p)                    \* there is a vertex to contradict
  /\ <<epoch[p], round[p], p>> \notin twins           \* a third adds nothing
  /\ twins' = twins \cup {<<epoch[p], round[p], p>>}
  /\ UNCHANGED <<vertex, alive, epoch, round, dag, buffer, doubled, decided, leaders, delivered, blocks>>

\* p creates a vertex with parents of its choice. With too few, or without its own, nobody correct
\* receives it; otherwise p merely kept quiet about some of what it holds.
Forge(p, parents) ==
  /\ p \in Byzantine                           \* correct nodes never do
  /\ alive[p]                                  \* crashed nodes do nothing
  /\ IsMember(p)                               \* only the committee creates vertices
  /\ parents \subseteq CurrentRow(p)           \* it can only name what exists
  /\ Advance(p, dag[p], parents)

-----------------------------------------------------------------------------

(* The bounds of Next stand beside the actions, not in them: a log is not  *)
(* bound by them.                                                          *)

Early == {p \in Node : round[p] < MaxRound}

Crashable == IF Cardinality({p \in Node : ~alive[p]}) < MaxCrashed THEN Node ELSE {}

Leaving == {p \in Node : epoch[p] < MaxEpoch /\ (CatchUp \/ Sealed(p))}

Rounds(p) == (FirstRound + 1)..RoundAt(Len(Table(epoch[p])))

\* Creators whose vertex of round r may arrive at p.
InFlight(p, r) ==
  LET sent == DOMAIN Table(epoch[p])[Slot(r)] IN
  IF FAULT_EquivocationDelivered THEN sent ELSE sent \ RowAt(dag[p], Slot(r))

Next ==
  \/ \E p \in Early : NextRound(p)
  \/ \E p \in Node : \E r \in Rounds(p) : \E q \in InFlight(p, r) : Receive(p, q, r)
  \/ \E p \in Node : \E v \in buffer[p] : Add(p, v[2], v[1])
  \/ \E p \in Leaving : EpochChange(p)
  \/ \E p \in Crashable : Crash(p)
  \/ \E p \in Node : Recover(p)
  \/ \E p \in Byzantine : Equivocate(p)
  \/ \E p \in Byzantine \cap Early : \E parents \in SUBSET CurrentRow(p) : Forge(p, parents)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What an implementation is compared with after a step of node p *)

\* With the fault every wave so far has an entry, and 0 stands for "no leader".
LeadersSeen(p) ==
  IF FAULT_LeaderSentinel
  THEN [w \in 1..Wave(round[p]) |->
         IF <<w, Leader(epoch[p], w)>> \in {leaders[p][i] : i \in 1..Len(leaders[p])}
         THEN <<w, Leader(epoch[p], w)>>
         ELSE <<w, 0>>]
  ELSE leaders[p]

RowCount(p) ==
  Cardinality(CurrentRow(p)) + Cardinality({v \in doubled[p] : v[1] = round[p]})

LastBlock(p) == IF blocks[p] = <<>> THEN <<>> ELSE blocks[p][Len(blocks[p])]

View(p) ==
  [round     |-> round[p],
   wave      |-> Wave(round[p]),
   row       |-> RowCount(p),
   decided   |-> decided[p],
   leaders   |-> LeadersSeen(p),
   blocks    |-> Len(blocks[p]),
   lastBlock |-> LastBlock(p),
   epoch     |-> epoch[p],
   committee |-> Cardinality(Committee(epoch[p])),
   alive     |-> alive[p]]

-----------------------------------------------------------------------------
(* Properties *)

TypeOK ==
  /\ \A i \in 1..Len(vertex) : Len(vertex[i]) >= 1
  /\ \A p \in Node :
       /\ alive[p] \in BOOLEAN
       /\ epoch[p] \in 0..(Len(vertex) - 1)
       /\ round[p] >= FirstRound
       /\ Len(dag[p]) = Slot(round[p])
       /\ \A i \in 1..Len(dag[p]) : dag[p][i] \subseteq Committee(epoch[p])
       /\ \A v \in buffer[p] : v[1] > FirstRound /\ v[2] \in Node
       /\ decided[p] >= 0
       /\ 2 * decided[p] <= round[p]
       /\ Len(blocks[p]) = Len(leaders[p])
       /\ Len(delivered[p]) <= Len(dag[p])

\* What a node holds was broadcast, and it holds all parents. A slot has one vertex, so any two nodes
\* that hold a vertex hold the same history of it.
DagConsistency ==
  \A p \in Correct : \A i \in 2..Len(dag[p]) :
    RowClosed(dag[p][i], dag[p][i - 1], Table(epoch[p])[i])

\* Leaders of any two nodes: one sequence continues the other.
LeaderConsistency == PrefixConsistent({leaders[p] : p \in Correct})

BlockPrefixConsistency == PrefixConsistent({blocks[p] : p \in Correct})

\* The blocks of the e-th epoch among `all`.
BlocksOf(e, all) ==
  IF EpochWaves = 0
  THEN IF e = 0 THEN all ELSE <<>>
  ELSE LET last == EpochWaves * (e + 1)
       IN  SubSeq(all, EpochWaves * e + 1, IF last < Len(all) THEN last ELSE Len(all))

\* A vertex is delivered at most once. Rounds count anew in every epoch, hence epoch by epoch.
NoDuplicateDelivery ==
  \A all \in {blocks[p] : p \in Correct} : \A i \in 1..Len(vertex) :
    NoRepeats(BlocksOf(i - 1, all))

\* No vertex is delivered before one of its parents.
CausalOrder ==
  \A all \in {blocks[p] : p \in Correct} : \A i \in 1..Len(vertex) :
    CausallyOrdered(vertex[i], BlocksOf(i - 1, all), 1, {})

QuorumParents ==
  \A p \in Correct : \A i \in 2..Len(dag[p]) :
    RowQuorate(epoch[p], dag[p][i], Table(epoch[p])[i])

SelfAncestor ==
  \A p \in Correct : \A i \in 2..Len(dag[p]) :
    RowSelfAncestored(dag[p][i], Table(epoch[p])[i])

\* Nobody accepts a second vertex for a slot.
OneVertexPerSlot == \A p \in Correct : doubled[p] = {}

\* A leader that was decided stays decided.
LeaderMonotonicity == [][\A p \in Node : IsPrefixOf(leaders[p], leaders'[p])]_vars

\* Rounds grow by one at a time, and start anew only with the next epoch.
RoundMonotonic ==
  [][\A p \in Node :
       \/ epoch'[p] = epoch[p] /\ round'[p] \in {round[p], round[p] + 1}
       \/ epoch'[p] = epoch[p] + 1 /\ round'[p] = FirstRound]_vars

(***************************************************************************)
(* Why leaders agree (no proof, the invariant a proof would carry):        *)
(*                                                                         *)
(*   If a correct node decides wave w by votes, the voters V are a quorum  *)
(*   of round 2w. Every vertex of round 2w+1 that a correct node accepts   *)
(*   has a quorum of parents (QuorumParents); two quorums share more than  *)
(*   a third of the stake, so one parent is in V and has an edge to the    *)
(*   leader of w. By induction over rounds every accepted vertex above     *)
(*   round 2w has that leader among its ancestors.                         *)
(*                                                                         *)
(*   Hence whoever decides a later wave finds the leader of w on the way   *)
(*   back, whatever it took in between, and below w both walk back from    *)
(*   the same vertex over the same edges (DagConsistency). Blocks are a    *)
(*   function of the leaders and of those edges.                           *)
(***************************************************************************)

\* The middle step, as a predicate: decided leaders are ancestors of everything above their votes.
DecidedLeadersAreAncestors ==
  \A p, q \in Correct :
    epoch[p] = epoch[q] /\ decided[p] > 0 /\ round[q] > VoteRound(decided[p]) =>
      LET e == epoch[p]
          w == decided[p]
          r == VoteRound(w) + 1
      IN  \A v \in Row(q, r) : Leader(e, w) \in Ancestors(Table(e), r, {v}, LeaderRound(w))
=============================================================================
