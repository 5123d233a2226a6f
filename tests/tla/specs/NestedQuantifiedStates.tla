---- MODULE NestedQuantifiedStates ----
\* Messages as records in a growing set.
EXTENDS Integers
VARIABLES net, seen
Send(f, t) == /\ net' = net \cup {[from |-> f, to |-> t]} /\ UNCHANGED seen
Receive == \E m \in net : /\ net' = net \ {m}
                          /\ seen' = seen \cup {m.from}
Init == net = {} /\ seen = {}
Next == \/ \E f \in 1..2, t \in {3} : f \notin seen /\ Send(f, t)
        \/ Receive
Inv == seen \subseteq 1..2
====
