---- MODULE UnicodeOperators ----
\* The mathematical symbols instead of their ASCII forms.
EXTENDS Integers
VARIABLE x
Init ≜ x ∈ {1, 2} ∪ {3}
Next ≜ x' = x ∧ x ≤ 3 ∧ ¬(x = 4)
Inv ≜ ∀ y ∈ 1‥3 : y ≠ 4 ∨ x ≥ 1
====
