---- MODULE ExceptOutsideDomain ----
\* An update outside of the domain leaves the function as it is.
EXTENDS Integers
VARIABLE f
Init == f = [i \in 1..2 |-> 0]
Next == \/ f' = [f EXCEPT ![3] = 1]
        \/ f' = [f EXCEPT ![2] = 1]
Inv == DOMAIN f = 1..2
====
