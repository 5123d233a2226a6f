---- MODULE ErrorUnclosedComment ----
\* A block comment without its end.
EXTENDS Integers
A == 1
(* this is
open
====
