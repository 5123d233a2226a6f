----------------------------- MODULE XrplRules ------------------------------
(***************************************************************************)
(* The rules of XRP Ledger consensus that are functions of their           *)
(* arguments: percentages, the vote on a disputed transaction, ancestry of *)
(* ledgers, and which ledger a set of validators prefers.                  *)
(*                                                                         *)
(*   tree   ledger |-> [seq, parent]: all ledgers that were ever built.    *)
(*          A ledger's name is opaque: two ledgers with the same parent    *)
(*          and transactions differ when their close times do.             *)
(*   tips   validator |-> the last ledger it stands behind.                *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Node,               \* validators
  Trusted,            \* per node: whose proposals and validations count. Contains the node itself
  First,              \* the ledger that everybody has validated at the start
  FirstSeq,           \* its sequence
  ConsensusPercent,   \* share of positions that ends a round: 80
  QuorumPercent       \* share of the trusted validators that validates a ledger: 80

Larger(a, b) == IF a > b THEN a ELSE b

-----------------------------------------------------------------------------
(* Percentages *)

\* Have `agree` of `total` positions agreed, one's own included if it counts? Nobody else is there:
\* yes, after a time that is not modelled.
Reached(agree, total, own) ==
  IF total = 0
  THEN TRUE
  ELSE LET self == IF own THEN 1 ELSE 0
       IN  ((agree + self) * 100) \div (total + self) >= ConsensusPercent

\* Validations that make a ledger fully validated, rounded up.
Quorum(n) == (Cardinality(Trusted[n]) * QuorumPercent + 99) \div 100

-----------------------------------------------------------------------------
(* Disputed transactions *)

\* The avalanche: the longer a round takes, the more support a transaction needs.
Levels == {50, 65, 70, 95}

YesVotes(tx, ballots) == Cardinality({q \in DOMAIN ballots : tx \in ballots[q]})

\* Is `vote` what a node should say of tx after counting the ballots (peer |-> set)? `before` is what
\* it said so far, `own` whether its own position counts.
RightVote(tx, before, vote, ballots, own, needed) ==
  LET yes == YesVotes(tx, ballots)
      no  == Cardinality(DOMAIN ballots) - yes
  IN  IF (before /\ no = 0) \/ (~before /\ yes = 0)
      THEN vote = before
      ELSE IF own
           THEN vote = ((yes * 100 + (IF before THEN 100 ELSE 0)) \div (yes + no + 1) > needed)
           ELSE vote = (yes > no)

\* All transactions that one of the sets has and another has not.
Differing(sets) == {tx \in UNION sets : \E set \in sets : tx \notin set}

-----------------------------------------------------------------------------
(* Ledgers *)

SeqOf(tree, ledger) == tree[ledger].seq

\* The ancestor with this sequence, possibly the ledger itself. Nothing is known below First.
RECURSIVE AncestorAt(_, _, _)
AncestorAt(tree, ledger, seq) ==
  IF SeqOf(tree, ledger) <= seq \/ ledger = First
  THEN ledger
  ELSE AncestorAt(tree, tree[ledger].parent, seq)

\* Is one of the two on the chain of the other?
SameChain(tree, a, b) ==
  IF SeqOf(tree, a) <= SeqOf(tree, b)
  THEN AncestorAt(tree, b, SeqOf(tree, a)) = a
  ELSE AncestorAt(tree, a, SeqOf(tree, b)) = b

IsAncestor(tree, a, b) == SeqOf(tree, a) < SeqOf(tree, b) /\ AncestorAt(tree, b, SeqOf(tree, a)) = a

\* Validators that stand behind a strict descendant of a ledger.
Beyond(tree, tips, ledger) ==
  Cardinality({v \in DOMAIN tips : IsAncestor(tree, ledger, tips[v])})

\* Validators that stand behind a ledger or a descendant of it.
Support(tree, tips, ledger) ==
  Cardinality({v \in DOMAIN tips :
    tips[v] = ledger \/ IsAncestor(tree, ledger, tips[v])})

Children(tree, tips, ledger) ==
  {AncestorAt(tree, tips[v], SeqOf(tree, ledger) + 1) :
     v \in {v \in DOMAIN tips : IsAncestor(tree, ledger, tips[v])}}

(***************************************************************************)
(* The preferred ledger: walk up from `ledger` as long as the best branch  *)
(* would stay the best even if all validators that have not spoken at this *)
(* height (`silent`) chose another one. `issued` is the highest sequence   *)
(* that the asking node has validated itself. Ties are broken by names in  *)
(* reality; here every outcome is possible, hence a set.                   *)
(***************************************************************************)
RECURSIVE Walk(_, _, _, _)
Walk(tree, tips, issued, ledger) ==
  LET next     == SeqOf(tree, ledger) + 1
      silent   == Cardinality({v \in DOMAIN tips : SeqOf(tree, tips[v]) < Larger(next, issued)})
      children == Children(tree, tips, ledger)
      Votes(c) == Support(tree, tips, c)
      best     == {c \in children : \A d \in children : Votes(c) >= Votes(d)}
  IN  IF children = {}
      THEN {ledger}
      ELSE IF Cardinality(children) = 1
           THEN LET c == CHOOSE c \in children : TRUE
                IN  IF Votes(c) > silent THEN Walk(tree, tips, issued, c) ELSE {ledger}
           ELSE IF Cardinality(best) > 1
                THEN IF silent = 0
                     THEN UNION {Walk(tree, tips, issued, c) : c \in best}
                     ELSE {ledger}
                ELSE LET c      == CHOOSE c \in best : TRUE
                         second == CHOOSE d \in children \ best :
                                     \A e \in children \ best : Votes(d) >= Votes(e)
                         margin == Votes(c) - Votes(second)
                     IN  (IF silent = 0 \/ margin + 1 > silent
                          THEN Walk(tree, tips, issued, c) ELSE {})
                         \cup (IF silent = 0 \/ margin > silent THEN {} ELSE {ledger})

\* What a node that works on `current` should work on, given what the validators prefer.
Prefer(tree, current, preferred, validSeq) ==
  LET p == IF SeqOf(tree, preferred) > SeqOf(tree, current)
           THEN IF SeqOf(tree, preferred) = SeqOf(tree, current) + 1 /\ IsAncestor(tree, current, preferred)
                THEN current                      \* the round on current is still going on
                ELSE preferred
           ELSE IF AncestorAt(tree, current, SeqOf(tree, preferred)) # preferred
                THEN preferred                    \* another chain
                ELSE current
  IN  IF SeqOf(tree, p) >= validSeq THEN p ELSE current

PreferredLedgers(tree, tips, issued, current, validSeq) ==
  IF DOMAIN tips = {}
  THEN DOMAIN tree
  ELSE {Prefer(tree, current, p, validSeq) : p \in Walk(tree, tips, issued, First)}
=============================================================================
