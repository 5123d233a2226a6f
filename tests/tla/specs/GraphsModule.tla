---- MODULE GraphsModule ----
\* Directed graphs as records of nodes and edges.
EXTENDS Integers, FiniteSets, Graphs
g == [node |-> 1..4, edge |-> {<<1, 2>>, <<2, 3>>, <<1, 4>>}]
c == [node |-> 1..2, edge |-> {<<1, 2>>, <<2, 1>>}]
ASSUME IsDirectedGraph(g)
ASSUME AreConnectedIn(1, 3, g) /\ ~AreConnectedIn(3, 1, g)
ASSUME IsStronglyConnected(c) /\ ~IsStronglyConnected(g)
ASSUME Transpose(g).edge = {<<2, 1>>, <<3, 2>>, <<4, 1>>}
ASSUME Successors(g, 1) = {2, 4} /\ Predecessors(g, 3) = {2}
ASSUME Descendants(g, 1) \ {1} = {2, 3, 4} /\ Ancestors(g, 3) \ {3} = {1, 2}
ASSUME Roots(g) = {1} /\ Leaves(g) = {3, 4}
ASSUME InDegree(g, 2) = 1 /\ OutDegree(g, 1) = 2
ASSUME IsDag(g) /\ ~IsDag(c) /\ HasCycle(c)
ASSUME <<1, 2, 3>> \in SimplePath(g)
====
