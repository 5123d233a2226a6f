---- MODULE Hanoi ----
\* Three discs on three pegs.
EXTENDS Integers, Sequences
VARIABLE peg
Init == peg = <<<<1, 2, 3>>, <<>>, <<>>>>
Move(a, b) == /\ peg[a] # <<>>
              /\ IF peg[b] = <<>> THEN TRUE ELSE Head(peg[a]) < Head(peg[b])
              /\ peg' = [peg EXCEPT ![a] = Tail(@), ![b] = <<Head(peg[a])>> \o @]
Next == \E a, b \in 1..3 : a # b /\ Move(a, b)
NotDone == peg[3] # <<1, 2, 3>>
====
