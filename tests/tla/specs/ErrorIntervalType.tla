---- MODULE ErrorIntervalType ----
\* An interval of strings.
EXTENDS Integers
ASSUME 1.."c" = {}
====
