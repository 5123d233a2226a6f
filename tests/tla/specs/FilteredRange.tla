---- MODULE FilteredRange ----
\* Membership in a function set whose range is a filter of an infinite set.
EXTENDS Integers, Sequences
ASSUME [j \in {"a", "b"} |-> 5] \in [{"a", "b"} -> {n \in Nat : n > 0}]
ASSUME [j \in {"a", "b"} |-> 0] \notin [{"a", "b"} -> {n \in Nat : n > 0}]
ASSUME <<2, 4>> \in Seq({n \in Int : n % 2 = 0})
ASSUME {3, 5} \in SUBSET {n \in Nat : n % 2 = 1}
ASSUME [a |-> 7] \in [a : {n \in Nat : n # 8}]
ASSUME <<1, -1>> \notin {n \in Nat : n > 0} \X {n \in Int : n > 0}
====
