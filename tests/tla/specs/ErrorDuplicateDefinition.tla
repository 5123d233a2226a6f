---- MODULE ErrorDuplicateDefinition ----
\* A name is defined once.
EXTENDS Integers
Size == 1
Size == 2
ASSUME Size = 1
====
