---- MODULE PrimedExpressions ----
\* Primes on expressions, on operators and on function applications.
EXTENDS Integers
VARIABLES x, f
vars == <<x, f>>
Sum == x + f[1]
Init == x = 0 /\ f = <<0, 0>>
Next == /\ x' = (x + 1) % 3
        /\ f' = [f EXCEPT ![1] = x']
        /\ f'[1] = x'
        /\ Sum' = 2 * x'
        /\ (x + f[1])' = x' + f[1]'
        /\ vars' = <<x', f'>>
====
