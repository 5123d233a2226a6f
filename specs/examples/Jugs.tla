--------------------------------- MODULE Jugs ---------------------------------
(* Two jugs without marks, a tap and a drain. Can Goal litres be measured?     *)
(* A violation of Unsolved is the recipe.                                      *)
EXTENDS Integers

CONSTANTS Small, Large,   \* what the jugs hold, in litres
          Goal

VARIABLES small, large    \* what is in them

Min(a, b) == IF a < b THEN a ELSE b

Init == small = 0 /\ large = 0

FillSmall  == small' = Small /\ UNCHANGED large
FillLarge  == large' = Large /\ UNCHANGED small
EmptySmall == small' = 0 /\ UNCHANGED large
EmptyLarge == large' = 0 /\ UNCHANGED small

SmallToLarge ==
  LET poured == Min(small, Large - large)
  IN  /\ small' = small - poured
      /\ large' = large + poured

LargeToSmall ==
  LET poured == Min(large, Small - small)
  IN  /\ large' = large - poured
      /\ small' = small + poured

Next ==
  \/ FillSmall    \/ FillLarge
  \/ EmptySmall   \/ EmptyLarge
  \/ SmallToLarge \/ LargeToSmall

TypeOK   == small \in 0..Small /\ large \in 0..Large
Unsolved == small # Goal /\ large # Goal
===============================================================================
