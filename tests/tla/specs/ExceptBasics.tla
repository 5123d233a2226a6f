---- MODULE ExceptBasics ----
\* EXCEPT with a constant, with @, and with several updates that apply in order.
EXTENDS Integers
f == [i \in 1..3 |-> i]
ASSUME [f EXCEPT ![2] = 9] = <<1, 9, 3>>
ASSUME [f EXCEPT ![2] = @ + 1] = <<1, 3, 3>>
ASSUME [f EXCEPT ![1] = @ + 5, ![1] = @ * 2] = <<12, 2, 3>>
ASSUME [f EXCEPT ![1] = @ * 2, ![1] = @ + 5] = <<7, 2, 3>>
ASSUME [f EXCEPT ![1] = f[3], ![3] = f[1]] = <<3, 2, 1>>
ASSUME [[f EXCEPT ![1] = 4] EXCEPT ![1] = @ + 1][1] = 5
ASSUME f = <<1, 2, 3>>
====
