---- MODULE SetFilterAndMap ----
\* Set filters and set maps with several bounds and with tuple patterns.
EXTENDS Integers
VARIABLE x
Pairs == {<<a, b>> \in (1..3) \X (1..3) : a < b}
Sums == {a + b : <<a, b>> \in Pairs}
Products == {a * b : a \in 1..3, b \in 2..3}
Mixed == {<<a, b>> : a, b \in 0..1}
Init == x \in Sums \cup Products
Next == UNCHANGED x
Inv == /\ Pairs = {<<1, 2>>, <<1, 3>>, <<2, 3>>}
       /\ Sums = 3..5
       /\ Products = {2, 3, 4, 6, 9}
       /\ Mixed = {<<0, 0>>, <<0, 1>>, <<1, 0>>, <<1, 1>>}
       /\ {p \in {} : p} = {}
====
