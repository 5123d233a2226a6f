---- MODULE IoUtilsStrings ----
\* The helpers of IOUtils that need no files.
EXTENDS Integers, IOUtils
ASSUME atoi("12") = 12
ASSUME atoi("-3") = -3
ASSUME zeroPadN(7, 3) = "007"
ASSUME zeroPadN(1234, 3) = "1234"
ASSUME DOMAIN IOEnv \subseteq STRING
ASSUME "NO_SUCH_VARIABLE_HERE" \notin DOMAIN IOEnv
====
