---- MODULE NumberLiterals ----
\* Binary, octal and hexadecimal literals in either case.
EXTENDS Integers
ASSUME \b1010 = 10 /\ \B11 = 3
ASSUME \o17 = 15 /\ \O10 = 8
ASSUME \hFF = 255 /\ \Hff = 255 /\ \hBeEf = 48879
ASSUME 007 = 7
ASSUME 1000000 + 1 = 1000001
====
