---- MODULE Comments ----
\* Line comments, nested block comments, comments between tokens, \* inside (* *).
EXTENDS Integers (* after EXTENDS *), Sequences
(* outer (* inner *) still outer *)
(***************************************************************************)
(* A box: VARIABLE y   Init == y = 1                                        *)
(***************************************************************************)
VARIABLE x \* the only one
Init == x (* here *) = (* there *) 1
Next == \* nothing
        (* \* a line comment inside a block ends with it *)
        UNCHANGED x
Inv == x = 1 (* trailing
   over lines *) /\ TRUE
====
