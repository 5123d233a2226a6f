---- MODULE Records ----
\* Record fields, nested records, records as functions from strings.
EXTENDS Integers
VARIABLE r
Init == r = [id |-> 1, body |-> [kind |-> "x", size |-> 2]]
Next == /\ r.body.size < 4
        /\ r' = [r EXCEPT !.body.size = r.body.size + 1]
Inv == /\ DOMAIN r = {"id", "body"}
       /\ r["body"]["kind"] = "x"
       /\ r.body.size \in 2..4
       /\ "size" \in DOMAIN r.body
       /\ "id" \notin DOMAIN r.body
====
