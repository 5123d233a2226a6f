---- MODULE RecursiveFunctions ----
\* Recursive function definitions at the top level and in LET.
EXTENDS Integers
fact[n \in 0..10] == IF n = 0 THEN 1 ELSE n * fact[n - 1]
fib[n \in 0..20] == IF n < 2 THEN n ELSE fib[n - 1] + fib[n - 2]
gcd[a \in 0..20, b \in 0..20] == IF b = 0 THEN a ELSE gcd[b, a % b]
SumTo(n) == LET sum[i \in 0..n] == IF i = 0 THEN 0 ELSE i + sum[i - 1] IN sum[n]
ASSUME fact[5] = 120
ASSUME fact[10] = 3628800
ASSUME fib[20] = 6765
ASSUME gcd[12, 18] = 6
ASSUME SumTo(10) = 55
ASSUME DOMAIN fact = 0..10
====
