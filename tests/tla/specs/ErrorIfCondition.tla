---- MODULE ErrorIfCondition ----
\* A condition that is a string.
EXTENDS Integers
ASSUME (IF "yes" THEN 1 ELSE 2) = 1
====
