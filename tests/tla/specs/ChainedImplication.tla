---- MODULE ChainedImplication ----
\* Implication does not associate.
ASSUME FALSE => FALSE => TRUE
====
