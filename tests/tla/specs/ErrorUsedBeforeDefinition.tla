---- MODULE ErrorUsedBeforeDefinition ----
\* A definition must come before its use.
EXTENDS Integers
First == Second + 1
Second == 1
ASSUME First = 2
====
