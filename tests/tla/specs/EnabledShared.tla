---- MODULE EnabledShared ----
EXTENDS Naturals
VARIABLE z

I == INSTANCE EnabledSharedInner WITH x <- z, y <- z

Init == z = 0
Next == I!Step
Spec == Init /\ [][Next]_z
OK == I!Apart /\ ~I!Different /\ ENABLED I!Step
====
