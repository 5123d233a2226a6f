---- MODULE ErrorMissingEnd ----
\* The module is not closed.
A == 1
