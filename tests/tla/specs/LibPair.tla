---- MODULE LibPair ----
EXTENDS Integers
CONSTANTS First, Second
Inner == INSTANCE LibConst WITH Value <- First + Second
Total == Inner!Doubled
====
