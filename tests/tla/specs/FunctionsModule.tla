---- MODULE FunctionsModule ----
\* Restriction, range, inverse, injections and folds over functions.
EXTENDS Integers, FiniteSets, Functions
f == [i \in 1..3 |-> i * 10]
ASSUME Restrict(f, {1, 3})[3] = 30 /\ DOMAIN Restrict(f, {1, 3}) = {1, 3}
ASSUME DOMAIN RestrictDomain(f, LAMBDA x : x > 2) = {3}
ASSUME DOMAIN RestrictValues(f, LAMBDA x : x < 20) = {1}
ASSUME Range(f) = {10, 20, 30}
ASSUME IsInjective(f) /\ ~IsInjective(<<1, 1>>)
ASSUME Inverse(f, 1..3, Range(f))[20] = 2
ASSUME AntiFunction(f)[30] = 3
ASSUME Cardinality(Injection(1..2, 1..3)) = 6
ASSUME Cardinality(Surjection(1..3, 1..2)) = 6
ASSUME Cardinality(Bijection(1..3, 1..3)) = 6
ASSUME ExistsInjection(1..2, 1..3) /\ ~ExistsSurjection(1..2, 1..3) /\ ExistsBijection(1..2, 3..4)
ASSUME FoldFunction(+, 0, f) = 60
ASSUME FoldFunctionOnSet(+, 0, f, {1, 2}) = 30
ASSUME SumFunction(f) = 60 /\ SumFunctionOnSet(f, {2, 3}) = 50
ASSUME Pointwise(<<1, 2>>, <<3, 4>>, +) = <<4, 6>>
====
