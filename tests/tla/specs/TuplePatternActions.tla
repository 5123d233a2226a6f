---- MODULE TuplePatternActions ----
\* Tuple patterns in the bounds of an action.
EXTENDS Integers
VARIABLE edge
Edges == {<<1, 2>>, <<2, 3>>, <<3, 1>>, <<2, 2>>}
Init == edge = <<1, 2>>
Next == \E <<a, b>> \in Edges : a = edge[2] /\ edge' = <<a, b>>
====
