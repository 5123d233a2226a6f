---- MODULE Misnamed ----
\* The name of the module must be that of the file.
ASSUME TRUE
====
