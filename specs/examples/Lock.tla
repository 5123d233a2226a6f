---- MODULE Lock ----
EXTENDS Naturals, FiniteSets
CONSTANT Clients
VARIABLES holder, waiting
Init == holder = 0 /\ waiting = {}
Request(c) ==
  /\ c # holder
  /\ c \notin waiting
  /\ waiting' = waiting \cup {c}
  /\ UNCHANGED holder
Grant(c) ==
  /\ holder = 0
  /\ c \in waiting
  /\ holder' = c
  /\ waiting' = waiting \ {c}
Release(c) ==
  /\ holder = c
  /\ holder' = 0
  /\ UNCHANGED waiting
Next == \E c \in Clients : Request(c) \/ Grant(c) \/ Release(c)
====
