---- MODULE ErrorArityHigherOrder ----
\* An operator argument of the wrong arity.
EXTENDS Integers
Apply(F(_), x) == F(x)
Add(a, b) == a + b
ASSUME Apply(Add, 1) = 2
====
