---- MODULE LibBig ----
Size == 1000
Items == {"a", "b", "c", "d"}
====
