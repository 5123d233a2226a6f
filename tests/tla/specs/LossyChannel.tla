---- MODULE LossyChannel ----
\* Alternating bit over channels that may lose the only message in transit.
EXTENDS Integers
VARIABLES sent, bit, data, ack, got
vars == <<sent, bit, data, ack, got>>
Init == sent = 0 /\ bit = 0 /\ data = -1 /\ ack = 1 /\ got = 0
Send == data = -1 /\ sent = got /\ sent < 2 /\ data' = bit /\ sent' = sent + 1 /\ UNCHANGED <<bit, ack, got>>
Resend == data = -1 /\ sent > got /\ data' = bit /\ UNCHANGED <<sent, bit, ack, got>>
Lose == data # -1 /\ data' = -1 /\ UNCHANGED <<sent, bit, ack, got>>
Deliver == data # -1 /\ ack' = data /\ data' = -1 /\ UNCHANGED <<sent, bit, got>>
Acked == ack = bit /\ sent > got /\ got' = got + 1 /\ bit' = 1 - bit /\ UNCHANGED <<sent, data, ack>>
Next == Send \/ Resend \/ Lose \/ Deliver \/ Acked
Inv == got <= sent /\ sent <= got + 1
====
