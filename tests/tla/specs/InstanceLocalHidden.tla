---- MODULE InstanceLocalHidden ----
\* What a module instances LOCALly does not reach the module that extends it.
EXTENDS LibUsesLocal
Doubled == 1
ASSUME Ten = 10
ASSUME Doubled = 1
====
