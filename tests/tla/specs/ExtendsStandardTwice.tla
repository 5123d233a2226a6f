---- MODULE ExtendsStandardTwice ----
\* Naturals, Integers and Sequences define the same operators once.
EXTENDS Naturals, Integers, Sequences, FiniteSets, TLC
VARIABLE x
Init == x = Len(<<1, 2>>) + Cardinality({1})
Next == UNCHANGED x
Inv == x = 3
====
