---- MODULE TlcFunctions ----
\* :> and @@, where the left operand wins.
EXTENDS Integers, Sequences, TLC
ASSUME (1 :> 2)[1] = 2
ASSUME DOMAIN ("a" :> 1 @@ "b" :> 2) = {"a", "b"}
ASSUME (1 :> "l" @@ 1 :> "r")[1] = "l"
ASSUME (<<1, 2>> @@ (3 :> 9)) = <<1, 2, 9>>
ASSUME ([a |-> 1] @@ [a |-> 2, b |-> 3]) = [a |-> 1, b |-> 3]
ASSUME (1 :> 1 @@ 2 :> 2 @@ 3 :> 3) = <<1, 2, 3>>
ASSUME ({} :> 1)[{}] = 1
ASSUME ToString(12) = "12"
ASSUME ToString(<<1, 2>>) = "<<1, 2>>"
ASSUME TLCEval({1, 2}) = 1..2
====
