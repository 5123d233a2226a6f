---- MODULE LibLeft ----
EXTENDS LibBase
LeftLimit == Limit * 2
====
