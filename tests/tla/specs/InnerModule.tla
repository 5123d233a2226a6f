---- MODULE InnerModule ----
\* A module inside a module, instanced twice.
EXTENDS Integers
VARIABLE x
------ MODULE Box ------
CONSTANT n
Add(m) == m + n
------ MODULE Deep ------
More(m) == Add(m) + 1
=======
D == INSTANCE Deep
==========
One == INSTANCE Box WITH n <- 1
Ten == INSTANCE Box WITH n <- 10
Init == x = 0
Next == x < 11 /\ (x' = One!Add(x) \/ x' = Ten!Add(x))
Inv == One!D!More(1) = 3 /\ Ten!D!More(1) = 12
====
