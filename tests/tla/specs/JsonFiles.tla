---- MODULE JsonFiles ----
\* JSON documents and newline-delimited JSON as values; the path is relative to the working folder.
EXTENDS Integers, Sequences, Json
VARIABLE i
doc == JsonDeserialize("data.json")
log == ndJsonDeserialize("data.ndjson")
Init == i = 1
Next == i < Len(log) /\ i' = i + 1
Inv == /\ doc.name = "x" /\ doc.list = <<1, 2, <<3>>>> /\ doc.flag
       /\ doc.empty = <<>> /\ doc.nested.k = -4
       /\ Len(log) = 3
       /\ log[i].n = i
       /\ SelectSeq(log, LAMBDA e : e.event = "a") = <<log[1], log[3]>>
====
