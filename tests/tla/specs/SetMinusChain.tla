---- MODULE SetMinusChain ----
\* Set difference does not associate.
ASSUME {1, 2, 3} \ {1} \ {2} = {3}
====
