---- MODULE JsonStrings ----
\* Values written as JSON.
EXTENDS Integers, Sequences, Json
ASSUME ToJson(1) = "1"
ASSUME ToJson("a") = "\"a\""
ASSUME ToJson(TRUE) = "true"
ASSUME ToJson(<<1, 2>>) = "[1,2]"
ASSUME ToJson([a |-> 1]) = "{\"a\":1}"
ASSUME ToJson(<<>>) = "[]"
ASSUME ToJson([a |-> <<1, [b |-> FALSE]>>]) = "{\"a\":[1,{\"b\":false}]}"
====
