# Wilcoxon's rank-sum test and A12 (by its definition, over all pairs).
source("common.R")

a12 <- function(x, y) mean(outer(x, y, ">") + 0.5 * outer(x, y, "=="))

add <- function(x, y) {
  for (alternative in c("two.sided", "greater", "less")) {
    for (exact in c("automatic", "normal", "uncorrected", if (length(x) < 60) "exact")) {
      together <- c(plain(x), plain(y))
      if (exact == "exact" && anyDuplicated(together)) next
      r <- suppressWarnings(wilcox.test(
        plain(x), plain(y), alternative = alternative, correct = exact != "uncorrected",
        exact = switch(exact, automatic = NULL, exact = TRUE, FALSE)))
      case(x = shown(x), y = shown(y), alternative = alternative, method = exact,
           w = r$statistic, p = r$p.value, a12 = a12(plain(x), plain(y)))
    }
  }
}

add(1, 2)
add(2, 1)
add(c(1, 2), c(3, 4))
add(c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30),
    c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29))
# the example of ?wilcox.test: permeability constants
add(c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46), c(1.15, 0.88, 0.90, 0.74, 1.21))
# ties: some, most, all
add(c(1, 2, 2, 3), c(2, 3, 4, 4, 5))
add(c(1, 1, 1, 1, 2), c(1, 1, 1, 2, 2, 2))
add(c(5, 5, 5), c(5, 5))
add(rep(c(0, 1), c(9, 21)), rep(c(0, 1), c(20, 10)))
# unequal sizes
add(7, sample_of(20, 17, 101))
add(sample_of(3, 7, 50), sample_of(45, 37, 97, 0.5))
# one on either side of the limit of 50
add(sample_of(49, 53, 211), sample_of(49, 59, 223, 0.25))
add(sample_of(49, 53, 211), sample_of(50, 59, 223, 0.25))
add(sample_of(50, 53, 211), sample_of(50, 59, 223, 0.25))
# far tails: p down to 1e-28 exactly, and further by the approximation
add(sample_of(20, 1, 1000, -500), sample_of(20, 1, 1000))
add(sample_of(49, 1, 1000, -500), sample_of(49, 1, 1000))
add(sample_of(48, 1, 1000, -40), sample_of(49, 1, 1000, 0.5))
add(sample_of(300, 1, 1000, -500), sample_of(300, 1, 1000))
add(sample_of(2000, 7, 4001, -3000), sample_of(1500, 11, 4001))
add(sample_of(1000, 7, 40), sample_of(900, 11, 41))
finish()
