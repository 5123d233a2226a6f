---- MODULE ProofsSkipped ----
\* Theorems and proofs of every shape are read over.
EXTENDS Integers, TLC
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\ [][Next]_x
TypeOK == x \in {0, 1}
LEMMA Small == ASSUME NEW n \in Nat, n < 2 PROVE n \in {0, 1}
  OBVIOUS
THEOREM Safe == Spec => []TypeOK
<1>1. Init => TypeOK
  BY DEF Init, TypeOK
<1>2. TypeOK /\ [Next]_x => TypeOK'
  <2>1. CASE Next
    BY <2>1 DEF Next, TypeOK
  <2>2. CASE UNCHANGED x
    <3> SUFFICES ASSUME TypeOK PROVE TypeOK'
      OBVIOUS
    <3>a DEFINE y == x + 1
    <3> HIDE DEF y
    <3> TAKE n \in Nat
    <3> HAVE n > 0
    <3> WITNESS 1 \in Nat
    <3> PICK m \in Nat : m > n OBVIOUS
    <3> QED OMITTED
  <2> QED
    BY <2>1, <2>2
<1>3. QED
  PROOF OMITTED
COROLLARY TRUE
PROPOSITION Named == 1 + 1 = 2
PROOF BY Safe
AXIOM 1 = 1
After == x < 2
====
