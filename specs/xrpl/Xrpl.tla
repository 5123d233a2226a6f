-------------------------------- MODULE Xrpl --------------------------------
(***************************************************************************)
(* Consensus of the XRP Ledger. Validators build a chain of ledgers. In    *)
(* each round a validator closes its open ledger and takes a position, a   *)
(* set of transactions; positions are proposed, compared and changed until *)
(* 80 % of those it trusts hold the same one. It then builds the next      *)
(* ledger and signs a validation of it. A ledger with validations from     *)
(* 80 % of the trusted validators is fully validated, for good. A node     *)
(* that sees the others prefer another ledger leaves its round for theirs. *)
(*                                                                         *)
(* Time is left out: what a timer triggers may happen at any moment, with  *)
(* the conditions that matter for safety. So are close times, the          *)
(* exchange of transactions, and the effect of transactions on accounts.   *)
(* A ledger is an opaque name with a parent. Messages are never forgotten, *)
(* may arrive in any order, or not at all.                                 *)
(*                                                                         *)
(* Each action takes the arguments that determine its result, so that a    *)
(* log which names actions and arguments can be followed step by step.     *)
(***************************************************************************)
EXTENDS XrplRules

CONSTANTS
  Byzantine,          \* nodes whose messages may say anything
  DisputeStates,      \* thresholds per dispute and the end of stalled rounds (2.5.0)
  IgnoreProposeSeq    \* bug B1: a proposal counts whatever its number

ASSUME ConstantsFit ==
  /\ Byzantine \subseteq Node
  /\ \A n \in Node : n \in Trusted[n] /\ Trusted[n] \subseteq Node
  /\ ConsensusPercent \in 1..100
  /\ QuorumPercent \in 1..100
  /\ DisputeStates \in BOOLEAN
  /\ IgnoreProposeSeq \in BOOLEAN

VARIABLES
  tree,         \* ledger |-> [seq, parent]
  proposals,    \* [from, prior, seq, set] that were sent
  bowouts,      \* <<from, prior>> that were sent
  validations,  \* [from, ledger, seq, full] that were sent
  \* Per node, its round:
  phase,        \* "open", "establish" or "accepted"
  proposing,    \* does it take part, or only watch?
  prior,        \* the ledger that the round should build on
  base,         \* the ledger that it has, and would build on. Differs while prior is being fetched
  position,     \* its set of transactions
  proposeSeq,   \* and how often it has changed or renewed it
  peers,        \* peer |-> [seq, set]: positions that count
  dead,         \* peers that bowed out
  acquired,     \* sets of transactions whose content it knows
  counted,      \* peer |-> the last set of that peer whose content was known
  needed,       \* level of the avalanche
  outcome,      \* "yes", "moved on" or "expired", once the round is accepted
  \* Per node, its chain:
  built,        \* has the accepted round led to a ledger yet?
  closed,       \* its last closed ledger
  issued,       \* highest sequence it has validated
  heard,        \* <<from, ledger, seq>> of full validations that count
  largest,      \* validator |-> highest sequence it is known to have validated
  tip,          \* peer |-> the ledger it is counted behind
  valid,        \* last fully validated ledger
  validated     \* <<seq, ledger>> of all that were

sent == <<proposals, bowouts, validations>>
round == <<phase, proposing, prior, base, position, proposeSeq, peers, dead, acquired, counted, needed, outcome>>
chain == <<built, closed, issued, heard, largest, tip, valid, validated>>
vars == <<tree, sent, round, chain>>

Correct == Node \ Byzantine

NoPeers == [q \in {} |-> 0]

\* As if the network had been running: everybody has validated First, and the round after it either
\* begins or is about to be built, with no transactions.
Init ==
  /\ tree = (First :> [seq |-> FirstSeq, parent |-> First])
  /\ proposals = {}
  /\ bowouts = {}
  /\ validations = {}
  /\ phase = [n \in Node |-> "accepted"]
  /\ proposing = [n \in Node |-> TRUE]
  /\ prior = [n \in Node |-> First]
  /\ base = [n \in Node |-> First]
  /\ position = [n \in Node |-> {}]
  /\ proposeSeq = [n \in Node |-> 0]
  /\ peers = [n \in Node |-> NoPeers]
  /\ dead = [n \in Node |-> {}]
  /\ acquired = [n \in Node |-> {}]
  /\ counted = [n \in Node |-> NoPeers]
  /\ needed = [n \in Node |-> 50]
  /\ outcome = [n \in Node |-> "yes"]
  /\ \E b \in BOOLEAN : built = [n \in Node |-> b]
  /\ closed = [n \in Node |-> First]
  /\ issued = [n \in Node |-> FirstSeq]
  /\ heard = [n \in Node |-> {}]
  /\ largest = [n \in Node |-> [q \in Trusted[n] |-> FirstSeq]]
  /\ tip = [n \in Node |-> [q \in Trusted[n] |-> First]]
  /\ valid = [n \in Node |-> First]
  /\ validated = [n \in Node |-> {<<FirstSeq, First>>}]

-----------------------------------------------------------------------------
(* What a node knows *)

ValidSeq(n) == SeqOf(tree, valid[n])

\* Peers whose position is the node's own.
Agreeing(n) == {q \in DOMAIN peers[n] : peers[n][q].set = position[n]}

Share(n) == Reached(Cardinality(Agreeing(n)), Cardinality(DOMAIN peers[n]), proposing[n])

\* Most of those it hears from have validated something beyond this round.
MovedOn(n) ==
  Reached(Beyond(tree, tip[n], prior[n]), Cardinality(DOMAIN peers[n]), FALSE)

Preferred(n, current) == PreferredLedgers(tree, tip[n], largest[n][n], current, ValidSeq(n))

\* Peers whose position is known by content. Of the others an earlier position may still be counted,
\* for those transactions that were disputed at the time: `doubtful` are the peers where it is.
Known(n) == {q \in DOMAIN peers[n] : peers[n][q].set \in acquired[n]}

Doubtful(n) == (DOMAIN peers[n] \cap DOMAIN counted[n]) \ Known(n)

Ballots(n, doubtful) ==
  [q \in Known(n) \cup doubtful |-> IF q \in doubtful THEN counted[n][q] ELSE peers[n][q].set]

\* Do the votes at this level lead from n's position to `set`?
FollowsVotes(n, set, level) ==
  LET all == Ballots(n, Doubtful(n))
      sets == {position[n], set} \cup {all[q] : q \in DOMAIN all}
      levels == IF DisputeStates THEN {l \in Levels : l <= level} ELSE {level}
  IN  \A tx \in Differing(sets) : \E l \in levels : \E doubtful \in SUBSET Doubtful(n) :
        RightVote(tx, tx \in position[n], tx \in set, Ballots(n, doubtful), proposing[n], l)

WithoutPeer(f, q) == [p \in DOMAIN f \ {q} |-> f[p]]

\* What is counted once the sets in `known` are known by content.
CountedWith(n, known) ==
  [q \in {q \in DOMAIN peers[n] : peers[n][q].set \in known} |-> peers[n][q].set] @@ counted[n]

-----------------------------------------------------------------------------
(* Rounds *)

ForgetPeers(n) ==
  /\ peers' = [peers EXCEPT ![n] = NoPeers]
  /\ dead' = [dead EXCEPT ![n] = {}]
  /\ counted' = [counted EXCEPT ![n] = NoPeers]

\* A round on `ledger` begins. It differs from `have`, what n has, only if n must fetch it first.
StartRound(n, ledger, have, takesPart) ==
  /\ ledger \in DOMAIN tree                                     \* somebody has built it
  /\ have \in DOMAIN tree                                       \* and this one
  /\ IF phase[n] = "accepted"
     THEN have = closed[n] /\ built[n]                          \* after a round: on what it built
     ELSE have = prior[n]                                       \* within one: on what it asked for
  /\ ledger = have \/ ledger \in Preferred(n, have)             \* or the others are elsewhere
  /\ takesPart => ledger = have /\ phase[n] = "accepted"        \* who has just moved only watches
  /\ phase' = [phase EXCEPT ![n] = "open"]
  /\ proposing' = [proposing EXCEPT ![n] = takesPart]
  /\ prior' = [prior EXCEPT ![n] = ledger]
  /\ base' = [base EXCEPT ![n] = have]
  /\ acquired' = [acquired EXCEPT ![n] = {}]
  /\ needed' = [needed EXCEPT ![n] = 50]
  /\ ForgetPeers(n)
  /\ UNCHANGED <<tree, sent, position, proposeSeq, outcome, chain>>

Propose(n, seq, set) ==
  proposals' = IF proposing[n]
               THEN proposals \cup {[from |-> n, prior |-> prior[n], seq |-> seq, set |-> set]}
               ELSE proposals

TakePosition(n, set, seq) ==
  /\ position' = [position EXCEPT ![n] = set]
  /\ proposeSeq' = [proposeSeq EXCEPT ![n] = seq]
  /\ acquired' = [acquired EXCEPT ![n] = @ \cup {set}]
  /\ counted' = [counted EXCEPT ![n] = CountedWith(n, acquired[n] \cup {set})]
  /\ Propose(n, seq, set)

\* The open ledger's transactions become the first position.
Close(n, set) ==
  /\ phase[n] = "open"                                          \* once per round
  /\ phase' = [phase EXCEPT ![n] = "establish"]
  /\ TakePosition(n, set, 0)
  /\ UNCHANGED <<tree, bowouts, validations, proposing, prior, base, peers, dead, needed, outcome, chain>>

\* The position follows the votes on disputed transactions, or is proposed anew as it is. `level` is
\* the support that a transaction needs by now.
UpdatePosition(n, set, level) ==
  /\ phase[n] = "establish"                                     \* a position exists
  /\ level \in Levels                                           \* 50, 65, 70 or 95 percent
  /\ level >= needed[n]                                         \* it only rises within a round
  /\ set = position[n] \/ FollowsVotes(n, set, level)           \* proposed anew, or outvoted
  /\ needed' = [needed EXCEPT ![n] = level]
  /\ TakePosition(n, set, proposeSeq[n] + 1)
  /\ UNCHANGED <<tree, bowouts, validations, phase, proposing, prior, base, peers, dead, outcome, chain>>

\* The round ends. "yes": enough positions agree. "moved on": enough validators are ahead.
Accept(n, how) ==
  /\ phase[n] = "establish"                                     \* a position exists
  /\ how \in {"yes", "moved on", "expired"}                     \* the ways a round ends
  /\ how = "yes" => Share(n) \/ DisputeStates                   \* 80 % hold its position
  /\ how = "moved on" => MovedOn(n)                             \* 80 % are beyond this round
  /\ how = "expired" => DisputeStates                           \* only 2.5.0 gives up
  /\ phase' = [phase EXCEPT ![n] = "accepted"]
  /\ outcome' = [outcome EXCEPT ![n] = how]
  /\ built' = [built EXCEPT ![n] = FALSE]
  /\ UNCHANGED <<tree, sent, proposing, prior, base, position, proposeSeq, peers, dead, acquired, counted, needed>>
  /\ UNCHANGED <<closed, issued, heard, largest, tip, valid, validated>>

-----------------------------------------------------------------------------
(* Positions of others *)

\* n leaves its round as a participant; whoever hears of it no longer counts its position.
BowOut(n) ==
  /\ proposing[n]                                               \* it took part
  /\ phase[n] # "accepted"                                      \* the round is going on
  /\ proposing' = [proposing EXCEPT ![n] = FALSE]
  /\ bowouts' = IF phase[n] = "open" THEN bowouts ELSE bowouts \cup {<<n, prior[n]>>}
  /\ UNCHANGED <<tree, proposals, validations, phase, prior, base, position, proposeSeq>>
  /\ UNCHANGED <<peers, dead, acquired, counted, needed, outcome, chain>>

RecvProposal(n, from, seq, set) ==
  /\ phase[n] # "accepted"                                      \* a round is going on
  /\ from \in Trusted[n] \ {n}                                  \* others do not count
  /\ \/ from \in Byzantine                                      \* it was sent, on this ledger
     \/ [from |-> from, prior |-> prior[n], seq |-> seq, set |-> set] \in proposals
  /\ from \notin dead[n]                                        \* who bowed out stays out
  /\ from \in DOMAIN peers[n] =>                                \* newer than what n has
       seq > peers[n][from].seq \/ IgnoreProposeSeq
  /\ peers' = [peers EXCEPT ![n] = (from :> [seq |-> seq, set |-> set]) @@ @]
  /\ counted' = [counted EXCEPT ![n] = IF set \in acquired[n] THEN (from :> set) @@ @ ELSE @]
  /\ UNCHANGED <<tree, sent, phase, proposing, prior, base, position, proposeSeq>>
  /\ UNCHANGED <<dead, acquired, needed, outcome, chain>>

Withdraw(n, from) ==
  /\ peers' = [peers EXCEPT ![n] = WithoutPeer(@, from)]
  /\ counted' = [counted EXCEPT ![n] = WithoutPeer(@, from)]

RecvBowOut(n, from) ==
  /\ phase[n] # "accepted"                                      \* a round is going on
  /\ from \in Trusted[n] \ {n}                                  \* others do not count
  /\ from \in Byzantine \/ <<from, prior[n]>> \in bowouts       \* it was sent, on this ledger
  /\ from \notin dead[n]                                        \* who bowed out stays out
  /\ dead' = [dead EXCEPT ![n] = @ \cup {from}]
  /\ Withdraw(n, from)
  /\ UNCHANGED <<tree, sent, phase, proposing, prior, base, position, proposeSeq>>
  /\ UNCHANGED <<acquired, needed, outcome, chain>>

\* A position grew old. Anything from that peer counts again afterwards.
Expire(n, from) ==
  /\ phase[n] = "establish"                                     \* looked at with each update
  /\ from \in DOMAIN peers[n]                                   \* there is one
  /\ Withdraw(n, from)
  /\ UNCHANGED <<tree, sent, phase, proposing, prior, base, position, proposeSeq>>
  /\ UNCHANGED <<dead, acquired, needed, outcome, chain>>

\* The content of a set arrives; only then do positions on it vote on transactions.
GotSet(n, set) ==
  /\ phase[n] # "accepted"                                      \* a round is going on
  /\ set \notin acquired[n]                                     \* it is new
  /\ acquired' = [acquired EXCEPT ![n] = @ \cup {set}]
  /\ counted' = [counted EXCEPT ![n] = CountedWith(n, acquired[n] \cup {set})]
  /\ UNCHANGED <<tree, sent, phase, proposing, prior, base, position, proposeSeq>>
  /\ UNCHANGED <<peers, dead, needed, outcome, chain>>

-----------------------------------------------------------------------------
(* Ledgers and validations *)

\* The accepted set becomes the next ledger. Its name stands for parent, content and close time:
\* whoever builds it from the same gets the same.
Build(n, ledger) ==
  /\ phase[n] = "accepted"                                      \* a round has ended
  /\ ~built[n]                                                  \* once per round
  /\ ledger \in DOMAIN tree =>                                  \* one name, one place in the tree
       tree[ledger] = [seq |-> SeqOf(tree, base[n]) + 1, parent |-> base[n]]
  /\ tree' = (ledger :> [seq |-> SeqOf(tree, base[n]) + 1, parent |-> base[n]]) @@ tree
  /\ built' = [built EXCEPT ![n] = TRUE]
  /\ closed' = [closed EXCEPT ![n] = ledger]
  /\ UNCHANGED <<sent, round, issued, heard, largest, tip, valid, validated>>

\* n keeps a validation, be it its own: what it counts for full validation and for preference.
Count(n, from, ledger, seq, full) ==
  /\ heard' = [heard EXCEPT ![n] = IF full THEN @ \cup {<<from, ledger, seq>>} ELSE @]
  /\ largest' = [largest EXCEPT ![n][from] = seq]

\* n signs the ledger that it has just built. Only participants sign in full.
Validate(n, ledger, full) ==
  /\ phase[n] = "accepted" /\ built[n]                          \* a ledger was built
  /\ ledger = closed[n]                                         \* this one
  /\ outcome[n] # "moved on"                                    \* from a round of its own
  /\ full => proposing[n]                                       \* in full: it took part
  /\ SeqOf(tree, ledger) > issued[n]                              \* sequences only rise
  /\ SameChain(tree, valid[n], ledger)                          \* nothing that contradicts
  /\ validations' = validations \cup
       {[from |-> n, ledger |-> ledger, seq |-> SeqOf(tree, ledger), full |-> full]}
  /\ issued' = [issued EXCEPT ![n] = SeqOf(tree, ledger)]
  /\ Count(n, n, ledger, SeqOf(tree, ledger), full)
  /\ tip' = [tip EXCEPT ![n] = (n :> ledger) @@ @]
  /\ UNCHANGED <<tree, proposals, bowouts, round, built, closed, valid, validated>>

RecvValidation(n, from, ledger, seq, full) ==
  /\ from \in Trusted[n] \ {n}                                  \* others do not count
  /\ \/ from \in Byzantine                                      \* it was sent
     \/ [from |-> from, ledger |-> ledger, seq |-> seq, full |-> full] \in validations
  /\ seq > largest[n][from]                                     \* sequences only rise
  /\ Count(n, from, ledger, seq, full)
  /\ UNCHANGED <<tree, sent, round, built, closed, issued, tip, valid, validated>>

\* n has the ledger that a trusted validator signed, and counts the validator behind it.
CountTip(n, from, ledger) ==
  /\ ledger \in DOMAIN tree                                     \* it exists
  /\ from \in Trusted[n] \ {n}                                  \* others do not count
  /\ \/ from \in Byzantine                                      \* the validator stands behind it
     \/ \E v \in validations : v.from = from /\ v.ledger = ledger
  /\ tip' = [tip EXCEPT ![n] = (from :> ledger) @@ @]
  /\ UNCHANGED <<tree, sent, round, built, closed, issued, heard, largest, valid, validated>>

\* A validator was silent for long.
DropTip(n, from) ==
  /\ from \in DOMAIN tip[n]                                     \* it counted
  /\ tip' = [tip EXCEPT ![n] = WithoutPeer(@, from)]
  /\ UNCHANGED <<tree, sent, round, built, closed, issued, heard, largest, valid, validated>>

\* Those of n's trusted validators that signed a ledger in full.
Signers(n, ledger) ==
  {q \in Trusted[n] : <<q, ledger, SeqOf(tree, ledger)>> \in heard[n]}

FullyValidate(n, ledger) ==
  /\ ledger \in DOMAIN tree                                     \* it exists
  /\ SeqOf(tree, ledger) > ValidSeq(n)                            \* sequences only rise
  /\ Cardinality(Signers(n, ledger)) >= Quorum(n)               \* 80 % of the trusted signed it
  /\ valid' = [valid EXCEPT ![n] = ledger]
  /\ validated' = [validated EXCEPT ![n] = @ \cup {<<SeqOf(tree, ledger), ledger>>}]
  /\ UNCHANGED <<tree, sent, round, built, closed, issued, heard, largest, tip>>

\* n turns to the ledger that the validators prefer. Between rounds it replaces the last closed one;
\* within a round it waits for StartRound.
SwitchLedger(n, ledger) ==
  /\ ledger \in DOMAIN tree                                     \* it exists
  /\ ledger \in Preferred(n, IF phase[n] = "accepted" THEN closed[n] ELSE base[n])   \* preferred
  /\ phase[n] = "accepted" => built[n]                          \* not while building
  /\ phase[n] # "accepted" => ~proposing[n]                     \* after bowing out
  /\ IF phase[n] = "accepted"
     THEN /\ closed' = [closed EXCEPT ![n] = ledger]
          /\ UNCHANGED <<prior, peers, dead, counted>>
     ELSE /\ prior' = [prior EXCEPT ![n] = ledger]
          /\ ForgetPeers(n)
          /\ UNCHANGED closed
  /\ UNCHANGED <<tree, sent, phase, proposing, base, position, proposeSeq, acquired, needed, outcome>>
  /\ UNCHANGED <<built, issued, heard, largest, tip, valid, validated>>

\* n starts again after a crash, from its last fully validated ledger. It has forgotten what others
\* said, but not what it has signed.
Restart(n) ==
  /\ phase' = [phase EXCEPT ![n] = "accepted"]
  /\ outcome' = [outcome EXCEPT ![n] = "yes"]
  /\ proposing' = [proposing EXCEPT ![n] = FALSE]
  /\ built' = [built EXCEPT ![n] = TRUE]
  /\ closed' = [closed EXCEPT ![n] = valid[n]]
  /\ heard' = [heard EXCEPT ![n] = {}]
  /\ largest' = [largest EXCEPT ![n] = [q \in Trusted[n] |-> 0]]
  /\ tip' = [tip EXCEPT ![n] = NoPeers]
  /\ ForgetPeers(n)
  /\ UNCHANGED <<tree, sent, prior, base, position, proposeSeq, acquired, needed>>
  /\ UNCHANGED <<issued, valid, validated>>

-----------------------------------------------------------------------------
(* What an implementation is compared with after a step of node n *)

HasPosition(n) == phase[n] # "open"

View(n) ==
  [phase      |-> phase[n],
   proposing  |-> proposing[n],
   prior      |-> prior[n],
   position   |-> IF HasPosition(n) THEN position[n] ELSE {},
   proposeSeq |-> IF HasPosition(n) /\ proposing[n] THEN proposeSeq[n] ELSE 0,
   positions  |-> Cardinality(DOMAIN peers[n]),
   agreeing   |-> IF HasPosition(n) THEN Cardinality(Agreeing(n)) ELSE 0,
   closed     |-> closed[n],
   valid      |-> valid[n]]

-----------------------------------------------------------------------------
(* Properties *)

TypeOK ==
  /\ First \in DOMAIN tree
  /\ \A ledger \in DOMAIN tree :
       /\ tree[ledger].parent \in DOMAIN tree
       /\ ledger # First => tree[ledger].seq = SeqOf(tree, tree[ledger].parent) + 1
  /\ \A n \in Node :
       /\ phase[n] \in {"open", "establish", "accepted"}
       /\ {prior[n], base[n], closed[n], valid[n]} \subseteq DOMAIN tree
       /\ DOMAIN peers[n] \subseteq Trusted[n] \ {n}
       /\ DOMAIN tip[n] \subseteq Trusted[n]
       /\ dead[n] \cap DOMAIN peers[n] = {}
       /\ needed[n] \in Levels
       /\ outcome[n] \in {"yes", "moved on", "expired"}

\* All that correct nodes ever held for fully validated.
AllValidated == UNION {validated[n] : n \in Correct}

\* Of one sequence there is one fully validated ledger.
Agreement == \A a, b \in AllValidated : a[1] = b[1] => a = b

\* More: all fully validated ledgers lie on one chain.
ChainAgreement == \A a, b \in AllValidated : SameChain(tree, a[2], b[2])

\* A correct node signs at most one ledger per sequence.
OneValidationPerSequence ==
  \A v, w \in {v \in validations : v.from \in Correct} :
    v.from = w.from /\ v.seq = w.seq => v = w

\* Whoever holds a ledger for fully validated has the signatures of a quorum, and they exist.
ValidatedByQuorum ==
  \A n \in Correct : valid[n] # First =>
    Cardinality({q \in Trusted[n] :
      \/ q \in Byzantine
      \/ \E v \in validations : v.from = q /\ v.ledger = valid[n] /\ v.full}) >= Quorum(n)

\* A round that ended by agreement had it. (Positions are not touched between end and next round.)
ConsensusSupported ==
  \A n \in Correct :
    phase[n] = "accepted" /\ outcome[n] = "yes" /\ ~DisputeStates => Share(n)

\* A correct node counts no position that is newer than what its owner has sent.
NoInventedPositions ==
  \A n \in Correct : \A q \in DOMAIN peers[n] \ Byzantine :
    \E p \in proposals : p.from = q /\ p.set = peers[n][q].set /\ p.seq = peers[n][q].seq

ValidationsMonotonic ==
  [][\A n \in Correct :
       /\ issued'[n] >= issued[n]
       /\ SeqOf(tree', valid'[n]) >= SeqOf(tree, valid[n])]_vars

\* What was fully validated stays on the node's chain of validated ledgers.
ValidatedForGood == [][\A n \in Correct : SameChain(tree', valid[n], valid'[n])]_vars

\* Within a round a peer's position is only replaced by a newer one.
PositionsMonotonic ==
  [][\A n \in Correct :
       prior'[n] = prior[n] /\ phase[n] # "accepted" /\ phase'[n] # "open" =>
         \A q \in DOMAIN peers[n] \cap DOMAIN peers'[n] : peers'[n][q].seq >= peers[n][q].seq]_vars
=============================================================================
