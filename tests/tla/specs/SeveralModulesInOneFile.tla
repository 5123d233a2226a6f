---- MODULE SeveralModulesInOneFile ----
\* A module that has no file of its own is looked for in the file of the specification.
EXTENDS SeveralHelper
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % Limit
====
---- MODULE SeveralHelper ----
EXTENDS Integers
Limit == 3
====
