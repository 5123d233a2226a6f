Text before the module is ignored, == even this.
---------------------------- MODULE SeparatorsAndProse ----------------------------
EXTENDS Integers
-----------------------------------------------------------------------------
VARIABLE x
----
Init == x = 1
-----------
Next == x' = 3 - x
=============================================================================
Text after the module is ignored as well: Init == x = 7
---- MODULE Other ----
