------------------------------- MODULE MCXrpl -------------------------------
(***************************************************************************)
(* Small instances of Xrpl for exhaustive checks, in coarse steps. What a  *)
(* node has received matters only when it changes its position, ends its   *)
(* round, turns to another ledger or takes one for fully validated; so     *)
(* each of these steps chooses what was received by then, and the steps in *)
(* between are left out. A node may even receive less than at its last     *)
(* step: more behaviours than Xrpl has, none fewer.                        *)
(***************************************************************************)
EXTENDS Xrpl

CONSTANTS
  Transactions,       \* what may be in an open ledger
  MaxSeq,             \* ledgers up to this sequence are built
  MaxPropose          \* positions up to this number are taken

Everybody == [n \in Node |-> Node]

\* Seven validators counted from 0 with two lists of five, as in scenarios/xrpl/two-unl.toml.
TwoOfFive == [n \in Node |-> IF n <= 3 THEN 0..4 ELSE 2..6]

\* Two lists of N - 1 nodes that share N - 2: the first node and the last do not know each other.
TwoLists == [n \in Node |->
  IF n = 1 THEN Node \ {Cardinality(Node)}
  ELSE IF n = Cardinality(Node) THEN Node \ {1} ELSE Node]

\* Two lists that share one node.
Apart == [n \in Node |->
  LET half == (Cardinality(Node) + 1) \div 2
  IN  IF n <= half THEN {q \in Node : q <= half} ELSE {q \in Node : q >= half}]

Zero == <<>>

Name(parent, set) == <<parent, set>>

Symmetry == Permutations(Node)

MCInit == Init /\ built = [n \in Node |-> TRUE]

Available(n) ==
  {p \in proposals : p.from \in Trusted[n] \ {n} /\ p.prior = prior[n]}

\* Every way of having received one proposal of some of the others.
Views(n) ==
  LET sound == {ps \in SUBSET Available(n) : \A a, b \in ps : a.from = b.from => a = b}
  IN  {[q \in {p.from : p \in ps} |->
         LET p == CHOOSE p \in ps : p.from = q IN [seq |-> p.seq, set |-> p.set]] : ps \in sound}

SetsOf(view) == [q \in DOMAIN view |-> view[q].set]

Begin(n) ==
  /\ SeqOf(tree, closed[n]) < MaxSeq
  /\ StartRound(n, closed[n], closed[n], TRUE)

Change(n, view, set, level) ==
  /\ phase[n] = "establish"
  /\ proposeSeq[n] < MaxPropose
  /\ set # position[n]
  /\ \A tx \in Differing({position[n], set} \cup {view[q].set : q \in DOMAIN view}) :
       RightVote(tx, tx \in position[n], tx \in set, SetsOf(view), proposing[n], level)
  /\ position' = [position EXCEPT ![n] = set]
  /\ proposeSeq' = [proposeSeq EXCEPT ![n] = @ + 1]
  /\ Propose(n, proposeSeq[n] + 1, set)
  /\ UNCHANGED <<tree, bowouts, validations, phase, proposing, prior, base, peers, dead, acquired, counted>>
  /\ UNCHANGED <<needed, outcome, chain>>

\* Accept, Build and Validate in one.
Finish(n, view) ==
  LET agree  == Cardinality({q \in DOMAIN view : view[q].set = position[n]})
      ledger == Name(base[n], position[n])
      seq    == SeqOf(tree, base[n]) + 1
      grown  == (ledger :> [seq |-> seq, parent |-> base[n]]) @@ tree
      signs  == seq > issued[n] /\ SameChain(grown, valid[n], ledger)
  IN  /\ phase[n] = "establish"
      /\ DOMAIN view # {}
      /\ Reached(agree, Cardinality(DOMAIN view), proposing[n])
      /\ phase' = [phase EXCEPT ![n] = "accepted"]
      /\ outcome' = [outcome EXCEPT ![n] = "yes"]
      /\ tree' = grown
      /\ closed' = [closed EXCEPT ![n] = ledger]
      /\ IF signs
         THEN /\ validations' = validations \cup
                   {[from |-> n, ledger |-> ledger, seq |-> seq, full |-> proposing[n]]}
              /\ issued' = [issued EXCEPT ![n] = seq]
              /\ tip' = [tip EXCEPT ![n] = (n :> ledger) @@ @]
         ELSE UNCHANGED <<validations, issued, tip>>
      /\ UNCHANGED <<proposals, bowouts, proposing, prior, base, position, proposeSeq, peers, dead, acquired>>
      /\ UNCHANGED <<counted, needed, built, heard, largest, valid, validated>>

\* FullyValidate with all signatures that exist.
Settle(n, ledger) ==
  LET signers == {v.from : v \in {v \in validations : v.ledger = ledger /\ v.full}} \cap Trusted[n]
  IN  /\ SeqOf(tree, ledger) > ValidSeq(n)
      /\ Cardinality(signers) >= Quorum(n)
      /\ valid' = [valid EXCEPT ![n] = ledger]
      /\ validated' = [validated EXCEPT ![n] = @ \cup {<<SeqOf(tree, ledger), ledger>>}]
      /\ UNCHANGED <<tree, sent, round, built, closed, issued, heard, largest, tip>>

\* Every way of knowing which ledger each of the others stands behind.
Tips(n) ==
  {[q \in Trusted[n] |->
     LET ls == {v.ledger : v \in {v \in vs : v.from = q}}
     IN  IF ls = {} THEN First ELSE CHOOSE l \in ls : TRUE] :
   vs \in {vs \in SUBSET {v \in validations : v.from \in Trusted[n]} :
             /\ \A v, w \in vs : v.from = w.from => v = w
             /\ \A v \in validations : v.from = n => \E w \in vs : w.from = n /\ w.seq >= v.seq}}

\* Between rounds, to what the validators prefer by what n may have heard.
Turn(n, tips) ==
  /\ phase[n] = "accepted"
  /\ \E ledger \in PreferredLedgers(tree, tips, issued[n], closed[n], ValidSeq(n)) :
       /\ ledger # closed[n]
       /\ SeqOf(tree, ledger) < MaxSeq
       /\ SameChain(tree, valid[n], ledger)
       /\ closed' = [closed EXCEPT ![n] = ledger]
  /\ UNCHANGED <<tree, sent, round, built, issued, heard, largest, tip, valid, validated>>

MCNext ==
  \/ \E n \in Node : Begin(n)
  \/ \E n \in Node : \E set \in SUBSET Transactions : Close(n, set)
  \/ \E n \in Node : \E view \in Views(n) : \E set \in SUBSET Transactions : \E level \in Levels :
       Change(n, view, set, level)
  \/ \E n \in Node : \E view \in Views(n) : Finish(n, view)
  \/ \E n \in Node : \E ledger \in DOMAIN tree : Settle(n, ledger)
  \/ \E n \in Node : \E tips \in Tips(n) : Turn(n, tips)

(***************************************************************************)
(* The steps of Xrpl themselves, for random walks. Ledgers have strings    *)
(* for names here, First included, as in logs.                             *)
(***************************************************************************)
Early == {n \in Node : SeqOf(tree, closed[n]) < MaxSeq}

Names(n) == {ToString(Name(base[n], position[n]))}

FineNext ==
  \/ \E n \in Early : \E part \in BOOLEAN : StartRound(n, closed[n], closed[n], part)
  \/ \E n \in Node : StartRound(n, prior[n], prior[n], FALSE)
  \/ \E n \in Node : \E set \in SUBSET Transactions : Close(n, set)
  \/ \E n \in Node : \E set \in SUBSET Transactions : \E level \in Levels : UpdatePosition(n, set, level)
  \/ \E n \in Node : \E how \in {"yes", "moved on"} : Accept(n, how)
  \/ \E n \in Node : BowOut(n)
  \/ \E n \in Node : \E p \in proposals : RecvProposal(n, p.from, p.seq, p.set)
  \/ \E n, m \in Node : RecvBowOut(n, m)
  \/ \E n, m \in Node : Expire(n, m)
  \/ \E n \in Node : \E p \in proposals : GotSet(n, p.set)
  \/ \E n \in Node : \E ledger \in Names(n) : Build(n, ledger)
  \/ \E n \in Node : \E full \in BOOLEAN : Validate(n, closed[n], full)
  \/ \E n \in Node : \E v \in validations : RecvValidation(n, v.from, v.ledger, v.seq, v.full)
  \/ \E n \in Node : \E v \in validations : CountTip(n, v.from, v.ledger)
  \/ \E n \in Node : \E ledger \in DOMAIN tree : FullyValidate(n, ledger)
  \/ \E n \in Node : \E ledger \in DOMAIN tree : SwitchLedger(n, ledger)

(* Witnesses: each must fail in an instance that is worth checking. *)
NothingValidated == \A n \in Node : valid[n] = First
NothingForks == \A a, b \in DOMAIN tree : SameChain(tree, a, b)
=============================================================================
