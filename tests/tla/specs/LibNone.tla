---- MODULE LibNone ----
CONSTANT Items
None == CHOOSE n : n \notin Items
====
