---- MODULE BagsModule ----
\* Bags: functions from elements to positive counts.
EXTENDS Integers, Bags, TLC
b == ("x" :> 2 @@ "y" :> 1)
ASSUME IsABag(b) /\ ~IsABag("x" :> 0)
ASSUME BagToSet(b) = {"x", "y"}
ASSUME SetToBag({"x", "y"}) = ("x" :> 1 @@ "y" :> 1)
ASSUME EmptyBag = SetToBag({}) /\ EmptyBag = <<>>
ASSUME BagIn("x", b) /\ ~BagIn("z", b)
ASSUME CopiesIn("x", b) = 2 /\ CopiesIn("z", b) = 0
ASSUME BagCardinality(b) = 3 /\ BagCardinality(EmptyBag) = 0
ASSUME b (+) SetToBag({"x"}) = ("x" :> 3 @@ "y" :> 1)
ASSUME b (-) SetToBag({"y", "z"}) = ("x" :> 2)
ASSUME b (-) b = EmptyBag
ASSUME SetToBag({"x"}) \sqsubseteq b /\ ~(b \sqsubseteq SetToBag({"x"}))
ASSUME BagUnion({b, SetToBag({"z"})}) = ("x" :> 2 @@ "y" :> 1 @@ "z" :> 1)
====
