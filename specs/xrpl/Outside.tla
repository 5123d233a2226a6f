------------------------------ MODULE Outside -------------------------------
(***************************************************************************)
(* Consensus of the XRP Ledger as it is seen from outside: by who sees all *)
(* messages, and which ledgers servers say are validated, but not what     *)
(* servers have processed and decided.                                     *)
(*                                                                         *)
(* Each step is one of Xrpl, or several, and its guards are theirs as far  *)
(* as they can be told: what was surely received counts, what may have     *)
(* been received counts where that makes the step possible. Content of     *)
(* sets is not seen, so that votes on single transactions are left out.    *)
(*                                                                         *)
(*   here         in Xrpl                                                  *)
(*   Propose      Close (number 0), UpdatePosition                         *)
(*   LeaveRound   BowOut                                                   *)
(*   Build        Accept, Build; StartRound with a ledger that is fetched  *)
(*   SwitchTo     SwitchLedger                                             *)
(*   Sign         Validate                                                 *)
(*   Validated    FullyValidate                                            *)
(*   Hear...      messages that RecvProposal, RecvBowOut, RecvValidation   *)
(*                and CountTip may use from now on                         *)
(*   CountProposal, ForgetProposal    ... and must; Expire                 *)
(***************************************************************************)
EXTENDS XrplRules

CONSTANTS
  Byzantine    \* nodes whose messages may say anything

VARIABLES
  tree,        \* ledger |-> [seq, parent], as far as it was announced
  begun,       \* node |-> sequence of the first ledger that it was seen to build
  said,        \* <<from, on, number, set>> of proposals
  left,        \* <<from, on>> of bow-outs
  signed,      \* <<from, ledger, seq, full>> of validations
  \* Per node:
  closed,      \* its last closed ledger
  own,         \* its position: [on, number, set, out]
  may,         \* <<from, on, number, set>>: positions that it may have counted
  must,        \* and those that it has
  gone,        \* <<from, on>>: peers that bowed out
  heard,       \* <<from, ledger, seq, full>>: validations that it may have counted
  issued,      \* the highest sequence that it has signed
  valid        \* its last fully validated ledger; First: none yet

vars == <<tree, begun, said, left, signed, closed, own, may, must, gone, heard, issued, valid>>
sayings == <<said, left, signed>>
hearings == <<may, must, gone, heard>>

Everybody == [n \in Node |-> Node]
TwoOfFive == [n \in Node |-> IF n <= 3 THEN 0..4 ELSE 2..6]

NoPosition == [on |-> First, number |-> 0, set |-> "", out |-> FALSE]

Init ==
  /\ tree = (First :> [seq |-> FirstSeq, parent |-> First])     \* all that came before
  /\ begun = [n \in {} |-> 0]
  /\ said = {}
  /\ left = {}
  /\ signed = {}
  /\ closed = [n \in Node |-> First]
  /\ own = [n \in Node |-> NoPosition]
  /\ may = [n \in Node |-> {}]
  /\ must = [n \in Node |-> {}]
  /\ gone = [n \in Node |-> {}]
  /\ heard = [n \in Node |-> {}]
  /\ issued = [n \in Node |-> 0]
  /\ valid = [n \in Node |-> First]

-----------------------------------------------------------------------------

Known(ledger) == ledger \in DOMAIN tree

\* The tree with one more ledger. Of a parent that nobody announced only the sequence is known.
With(ledger, seq, parent) ==
  LET grown == IF Known(parent) THEN tree
               ELSE (parent :> [seq |-> seq - 1, parent |-> First]) @@ tree
  IN  IF Known(ledger) /\ tree[ledger].parent # First THEN grown
      ELSE (ledger :> [seq |-> seq, parent |-> parent]) @@ grown

\* Is this ledger, or one that builds on it, among those that others have signed?
HasFollowers(n, ledger) ==
  \E v \in heard[n] : v[1] # n /\
    (v[2] = ledger \/ (Known(v[2]) /\ Known(ledger) /\ IsAncestor(tree, ledger, v[2])))

\* Positions of a peer that n may hold for its newest.
Options(n, q, on) ==
  LET counted == {p \in must[n] : p[1] = q /\ p[2] = on}
      newest  == {p \in counted : \A o \in counted : o[3] <= p[3]}
  IN  newest \cup {p \in may[n] : p[1] = q /\ p[2] = on /\ \A o \in newest : p[3] > o[3]}

\* 80 % hold n's position, if those that may do so do, and of the others only those count that surely do.
Supported(n, on) ==
  LET others  == Trusted[n] \ {n}
      agree   == {q \in others : \E p \in Options(n, q, on) : p[4] = own[n].set}
      against == {q \in others \ agree :
                    <<q, on>> \notin gone[n] /\ \E p \in must[n] : p[1] = q /\ p[2] = on}
  IN  Reached(Cardinality(agree), Cardinality(agree) + Cardinality(against), TRUE)

\* 80 % of those it hears from may have signed something beyond this ledger.
MovedOn(n, on) ==
  LET beyond == {q \in Trusted[n] : \E v \in heard[n] :
                   v[1] = q /\ Known(v[2]) /\ Known(on) /\ IsAncestor(tree, on, v[2])}
      peers  == {p[1] : p \in {p \in must[n] : p[2] = on}}
  IN  Reached(Cardinality(beyond), Cardinality(peers), FALSE)

\* All that the others said about this round was seen.
AllWatched(n, on) ==
  Known(on) /\ \A q \in Trusted[n] : q \in DOMAIN begun /\ begun[q] <= tree[on].seq

TookPart(n, on) == own[n].on = on /\ ~own[n].out

-----------------------------------------------------------------------------
(* What nodes do *)

\* The first that is seen of a node: the ledger that it has built.
Begin(n, ledger, seq, parent) ==
  /\ n \notin DOMAIN begun
  /\ begun' = (n :> seq) @@ begun
  /\ tree' = With(ledger, seq, parent)
  /\ closed' = [closed EXCEPT ![n] = ledger]
  /\ issued' = [issued EXCEPT ![n] = seq - 1]
  /\ UNCHANGED <<sayings, own, hearings, valid>>

Propose(n, on, number, set) ==
  /\ on = closed[n]                                             \* on what it has
  /\ number = 0 => own[n].on # on                               \* closes once per round
  /\ number > 0 => TookPart(n, on)                              \* a position exists
  /\ number > 0 => number = own[n].number + 1                   \* numbers have no gap
  /\ number > 0 /\ set # own[n].set =>                          \* somebody holds another one
       \E p \in may[n] : p[2] = on /\ p[4] # own[n].set
  /\ said' = said \cup {<<n, on, number, set>>}
  /\ own' = [own EXCEPT ![n] = [on |-> on, number |-> number, set |-> set, out |-> FALSE]]
  /\ UNCHANGED <<tree, begun, left, signed, closed, hearings, issued, valid>>

LeaveRound(n, on) ==
  /\ TookPart(n, on)                                            \* it took part
  /\ left' = left \cup {<<n, on>>}
  /\ own' = [own EXCEPT ![n].out = TRUE]
  /\ UNCHANGED <<tree, begun, said, signed, closed, hearings, issued, valid>>

Build(n, ledger, seq, parent) ==
  /\ parent = closed[n] \/ HasFollowers(n, parent)              \* on what it has, or where others are
  /\ Known(parent) => seq = tree[parent].seq + 1                \* the next sequence
  /\ Known(ledger) /\ tree[ledger].parent # First =>            \* one name, one place in the tree
       tree[ledger] = [seq |-> seq, parent |-> parent]
  /\ TookPart(n, parent) /\ AllWatched(n, parent) =>             \* 80 % agree, or are ahead
       Supported(n, parent) \/ MovedOn(n, parent)
  /\ tree' = With(ledger, seq, parent)
  /\ closed' = [closed EXCEPT ![n] = ledger]
  \* Positions on what lies behind will not be looked at again.
  /\ LET Stays(on) == on # closed[n] /\ (Known(on) => tree[on].seq >= seq)
     IN  /\ may' = [may EXCEPT ![n] = {p \in @ : Stays(p[2])}]
         /\ must' = [must EXCEPT ![n] = {p \in @ : Stays(p[2])}]
         /\ gone' = [gone EXCEPT ![n] = {p \in @ : Stays(p[2])}]
  /\ UNCHANGED <<begun, sayings, own, heard, issued, valid>>

SwitchTo(n, ledger) ==
  /\ HasFollowers(n, ledger) \/ Known(ledger)                   \* others are there
  /\ closed' = [closed EXCEPT ![n] = ledger]
  /\ own' = [own EXCEPT ![n] = NoPosition]
  /\ UNCHANGED <<tree, begun, sayings, hearings, issued, valid>>

Sign(n, ledger, seq, full) ==
  /\ ledger = closed[n]                                         \* what it has just built
  /\ Known(ledger) => seq = tree[ledger].seq                    \* with its sequence
  /\ seq > issued[n]                                            \* sequences only rise
  /\ full => own[n].on = First \/ TookPart(n, tree[ledger].parent)   \* in full: it took part
  /\ Known(valid[n]) => SameChain(tree, valid[n], ledger)       \* nothing that contradicts
  /\ signed' = signed \cup {<<n, ledger, seq, full>>}
  /\ heard' = [heard EXCEPT ![n] = @ \cup {<<n, ledger, seq, full>>}]
  /\ issued' = [issued EXCEPT ![n] = seq]
  /\ UNCHANGED <<tree, begun, said, left, closed, own, may, must, gone, valid>>

\* Signers of a ledger whose signatures n may have. What a server publishes may be seen before its
\* own signature, which it counts at once: unless it signed another ledger of that sequence, it may
\* have signed this one. So may others before they were watched.
Signers(n, ledger, seq) ==
  {q \in Trusted[n] :
     \/ IF q \in DOMAIN begun THEN begun[q] > seq ELSE TRUE
     \/ \E v \in heard[n] : v[1] = q /\ v[2] = ledger /\ v[4]
     \/ q = n /\ ~\E v \in heard[n] : v[1] = n /\ v[3] = seq}

\* With a ledger all those that it builds on are validated.
Validated(n, ledger, seq) ==
  /\ seq > SeqOf(tree, valid[n])                                \* sequences only rise
  /\ \E l \in {<<ledger, seq>>} \cup {<<v[2], v[3]>> : v \in heard[n]} :
       /\ \/ l[1] = ledger                                        \* it, or one that builds on it
          \/ Known(l[1]) /\ Known(ledger) /\ IsAncestor(tree, ledger, l[1])
       /\ Cardinality(Signers(n, l[1], l[2])) >= Quorum(n)        \* 80 % of the trusted signed it
  /\ Known(ledger) => tree[ledger].seq = seq
  /\ Known(ledger) /\ valid[n] # First => SameChain(tree, valid[n], ledger)   \* for good
  /\ tree' = IF Known(ledger) THEN tree ELSE (ledger :> [seq |-> seq, parent |-> First]) @@ tree
  /\ valid' = [valid EXCEPT ![n] = ledger]
  /\ heard' = [heard EXCEPT ![n] = {v \in @ : v[3] >= seq}]
  /\ UNCHANGED <<begun, sayings, closed, own, may, must, gone, issued>>

-----------------------------------------------------------------------------
(* What is delivered to them *)

\* A correct node was watched when the ledger of this sequence was the last one.
HasBegunBy(from, seq) ==
  IF from \in Byzantine \/ from \notin DOMAIN begun THEN FALSE ELSE begun[from] <= seq

IsWatched(from, on) == IF Known(on) THEN HasBegunBy(from, tree[on].seq) ELSE FALSE

HearProposal(n, from, on, number, set) ==
  /\ IsWatched(from, on) => <<from, on, number, set>> \in said  \* it was sent
  /\ may' = [may EXCEPT ![n] = @ \cup {<<from, on, number, set>>}]
  /\ UNCHANGED <<tree, begun, sayings, closed, own, must, gone, heard, issued, valid>>

CountProposal(n, from, on, number, set) ==
  /\ must' = [must EXCEPT ![n] =
       IF <<from, on, number, set>> \in may[n] THEN @ \cup {<<from, on, number, set>>} ELSE @]
  /\ UNCHANGED <<tree, begun, sayings, closed, own, may, gone, heard, issued, valid>>

ForgetProposal(n, from, on, number, set) ==
  /\ must' = [must EXCEPT ![n] = @ \ {<<from, on, number, set>>}]
  /\ UNCHANGED <<tree, begun, sayings, closed, own, may, gone, heard, issued, valid>>

HearBowOut(n, from, on) ==
  /\ IsWatched(from, on) => <<from, on>> \in left               \* it was sent
  /\ gone' = [gone EXCEPT ![n] = @ \cup {<<from, on>>}]
  /\ UNCHANGED <<tree, begun, sayings, closed, own, may, must, heard, issued, valid>>

HearValidation(n, from, ledger, seq, full) ==
  /\ HasBegunBy(from, seq) => <<from, ledger, seq, full>> \in signed   \* it was sent
  /\ heard' = [heard EXCEPT ![n] = @ \cup {<<from, ledger, seq, full>>}]
  /\ UNCHANGED <<tree, begun, sayings, closed, own, may, must, gone, issued, valid>>

\* Nothing walks through this model: steps come from what was seen.
Next == \E n \in Node : Begin(n, First, FirstSeq, First)

\* Of one sequence there is one fully validated ledger.
Agreement ==
  \A a, b \in Node : tree[valid[a]].seq = tree[valid[b]].seq => valid[a] = valid[b]
=============================================================================
