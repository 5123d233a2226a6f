---- MODULE ErrorDomainOfNumber ----
\* DOMAIN of a number.
EXTENDS Integers
ASSUME DOMAIN 4 = {}
====
