---- MODULE SymmetricProcesses ----
\* SYMMETRY: permutations of the model values are one state.
EXTENDS Integers, TLC
CONSTANT Procs
VARIABLE done
Init == done = {}
Next == \E p \in Procs \ done : done' = done \cup {p}
Perms == Permutations(Procs)
====
