---- MODULE ErrorMissingModule ----
\* A module that cannot be found.
EXTENDS Integers, NoSuchModuleAnywhere
ASSUME TRUE
====
