---- MODULE NamedAssumptionsInInstance ----
\* Named facts of an instanced module.
EXTENDS Integers
M(n) == INSTANCE LibFacts WITH K <- n
ASSUME \A n \in 0..3 : M(n)!Nonnegative
ASSUME ~M(5)!Low
====
