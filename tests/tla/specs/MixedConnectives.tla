---- MODULE MixedConnectives ----
\* /\ and \/ in one line need parentheses.
ASSUME TRUE /\ FALSE \/ TRUE
====
