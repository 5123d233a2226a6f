---- MODULE LibUsesLocal ----
EXTENDS Integers
LOCAL INSTANCE LibConst WITH Value <- 5
Ten == Doubled
====
