---- MODULE ExceptPaths ----
\* EXCEPT along paths of fields and indices, and @ inside nested EXCEPT.
EXTENDS Integers
r == [a |-> [b |-> <<1, 2>>, c |-> 0], d |-> 5]
ASSUME [r EXCEPT !.a.b[2] = 7] = [a |-> [b |-> <<1, 7>>, c |-> 0], d |-> 5]
ASSUME [r EXCEPT !.a.b[1] = @ + r.d].a.b = <<6, 2>>
ASSUME [r EXCEPT !.a.c = 1, !.d = @ + 1, !.a.b[1] = 8] = [a |-> [b |-> <<8, 2>>, c |-> 1], d |-> 6]
ASSUME [r EXCEPT !["d"] = 4].d = 4
ASSUME [r EXCEPT !.a = [@ EXCEPT !.c = @ + 3]].a.c = 3
ASSUME [r EXCEPT !.a["c"] = 2].a.c = 2
====
