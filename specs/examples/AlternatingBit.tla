---------------------------- MODULE AlternatingBit ----------------------------
(* A sender gets one message at a time through a channel that loses messages,  *)
(* by repeating it, marked with a bit, until that bit comes back. Every        *)
(* message arrives only if a channel that is used again and again lets         *)
(* something through again and again: strong fairness.                         *)
EXTENDS Integers, Sequences

CONSTANTS Messages,  \* what may be sent
          Capacity   \* of each channel

VARIABLES sent,      \* the message on its way, and its bit
          received,  \* the last one that arrived, and its bit
          there,     \* channel of messages with their bits
          back       \* channel of bits

vars == <<sent, received, there, back>>

Init ==
  /\ sent \in [message : Messages, bit : {0}]
  /\ received = sent
  /\ there = <<>>
  /\ back = <<>>

New(m) ==  \* the last message is known to have arrived
  /\ back # <<>> /\ Head(back) = sent.bit
  /\ sent' = [message |-> m, bit |-> 1 - sent.bit]
  /\ back' = Tail(back)
  /\ UNCHANGED <<received, there>>

Ignore ==  \* an old bit
  /\ back # <<>> /\ Head(back) # sent.bit
  /\ back' = Tail(back)
  /\ UNCHANGED <<sent, received, there>>

Send ==
  /\ Len(there) < Capacity
  /\ there' = Append(there, sent)
  /\ UNCHANGED <<sent, received, back>>

Receive ==
  /\ there # <<>>
  /\ received' = Head(there)
  /\ there' = Tail(there)
  /\ UNCHANGED <<sent, back>>

Acknowledge ==
  /\ Len(back) < Capacity
  /\ back' = Append(back, received.bit)
  /\ UNCHANGED <<sent, received, there>>

Without(channel, i) == SubSeq(channel, 1, i - 1) \o SubSeq(channel, i + 1, Len(channel))

Lose ==
  /\ \/ \E i \in DOMAIN there : there' = Without(there, i) /\ UNCHANGED back
     \/ \E i \in DOMAIN back : back' = Without(back, i) /\ UNCHANGED there
  /\ UNCHANGED <<sent, received>>

Accept == Ignore \/ \E m \in Messages : New(m)

Next == Accept \/ Send \/ Receive \/ Acknowledge \/ Lose

Repeats == WF_vars(Send) /\ WF_vars(Acknowledge)

Spec == Init /\ [][Next]_vars /\ Repeats /\ SF_vars(Receive) /\ SF_vars(Accept)

\* Not enough: all that is sent may be lost.
WeakSpec == Init /\ [][Next]_vars /\ Repeats /\ WF_vars(Receive) /\ WF_vars(Accept)

Arrives == \A m \in Messages, b \in {0, 1} :
             sent = [message |-> m, bit |-> b] ~> received = [message |-> m, bit |-> b]
GoesOn == []<><<\E m \in Messages : New(m)>>_vars
===============================================================================
