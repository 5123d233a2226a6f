# Fisher's exact test. fisher.test stops its root search at uniroot's default tolerance; `exact` is
# the same R code with the tolerance at the last digit.
source("common.R")

exact.fisher.test <- fisher.test
environment(exact.fisher.test) <- list2env(list(
  uniroot = function(f, interval) stats::uniroot(f, interval, tol = 1e-300, maxiter = 100000)
), parent = environment(fisher.test))

tables <- list(
  # the papers: thesis 4.3, 4.5 (= ICSE-SEIP IV), and 4.2 row by row
  c(64, 26, 11, 79), c(21, 9, 10, 20), c(21, 9, 17, 13), c(17, 13, 10, 20), c(17, 13, 21, 9),
  c(23, 7, 20, 10), c(23, 7, 16, 14), c(16, 14, 20, 10), c(16, 14, 23, 7), c(30, 0, 30, 0),
  c(10, 0, 3, 7), c(10, 0, 6, 4), c(10, 0, 1, 9), c(8, 2, 0, 10), c(6, 4, 1, 9), c(7, 3, 0, 10),
  # textbook
  c(3, 1, 1, 3), c(2, 10, 15, 3), c(12, 5, 9, 2), c(1, 9, 11, 3),
  # zeros and tiny tables
  c(0, 0, 0, 0), c(1, 0, 0, 1), c(0, 1, 1, 0), c(1, 0, 0, 0), c(0, 0, 5, 7), c(5, 0, 7, 0),
  c(0, 5, 0, 7), c(0, 5, 5, 0), c(5, 0, 0, 5), c(0, 10, 3, 7), c(1, 1, 1, 1), c(2, 2, 2, 2),
  c(0, 1, 0, 1000), c(1, 0, 1000, 1000), c(1, 999, 0, 1000),
  # no difference, unequal groups
  c(50, 50, 50, 50), c(5, 95, 50, 950), c(500, 500, 1, 1), c(1000, 1, 1, 1000), c(7, 2, 300, 8),
  # far tails
  c(100, 0, 0, 100), c(90, 10, 10, 90), c(300, 20, 15, 400), c(400, 100, 100, 400),
  c(180, 20, 25, 175), c(1000, 500, 500, 1000), c(35, 0, 0, 35), c(520, 3, 2, 510),
  # large counts
  c(5000, 5100, 4900, 5000), c(10000, 20000, 10500, 20000), c(100, 99900, 160, 99840),
  c(100000, 100000, 100700, 99300))

for (table in tables) {
  for (alternative in c("two.sided", "greater", "less")) {
    for (confidence in if (sum(table) < 1000) c(0.95, 0.99) else 0.95) {
      x <- matrix(table, 2)
      r <- fisher.test(x, alternative = alternative, conf.level = confidence)
      exact <- exact.fisher.test(x, alternative = alternative, conf.level = confidence)
      case(table = I(table), alternative = alternative, confidence = confidence, p = r$p.value,
           r_odds = r$estimate, r_low = r$conf.int[1], r_high = r$conf.int[2],
           odds = exact$estimate, low = exact$conf.int[1], high = exact$conf.int[2])
    }
  }
}
finish()
