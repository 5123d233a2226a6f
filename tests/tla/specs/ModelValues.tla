---- MODULE ModelValues ----
\* Model values differ from each other and from every other value.
EXTENDS Integers, FiniteSets
CONSTANTS Nodes, Nil
VARIABLE owner
Init == owner = Nil
Next == \/ owner = Nil /\ owner' \in Nodes
        \/ owner # Nil /\ owner' = Nil
Inv == /\ Nil \notin Nodes
       /\ Cardinality(Nodes) = 3
       /\ Nil # 1 /\ Nil # "Nil" /\ Nil # {} /\ Nil # <<>>
       /\ owner \in Nodes \cup {Nil}
       /\ {1, Nil} # {Nil}
====
