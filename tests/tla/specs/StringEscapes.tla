---- MODULE StringEscapes ----
\* Escapes inside strings and strings that look like syntax.
EXTENDS Integers, Sequences
ASSUME "a\"b" # "ab"
ASSUME "\\" # "\\\\"
ASSUME "tab\t" # "tab\n"
ASSUME "(* not a comment *)" # ""
ASSUME "\\* neither" # ""
ASSUME "==" # "----"
ASSUME {"a\"b", "a\"b"} = {"a\"b"}
====
