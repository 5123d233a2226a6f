---- MODULE LibRight ----
EXTENDS LibBase
RightLimit == Limit + 1
Hidden == 7
====
