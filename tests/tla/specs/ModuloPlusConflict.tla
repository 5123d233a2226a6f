---- MODULE ModuloPlusConflict ----
\* The ranges of % and + overlap: parentheses are needed.
EXTENDS Integers
ASSUME 5 % 3 + 1 = 3
====
