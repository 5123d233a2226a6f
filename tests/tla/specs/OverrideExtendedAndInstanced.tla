---- MODULE OverrideExtendedAndInstanced ----
\* A replaced definition of an extended module is replaced in instances of that module, too.
EXTENDS LibStart
L == INSTANCE LibStart
LaterStart == x = 2
Spec == LSpec
Refined == L!LSpec
====
