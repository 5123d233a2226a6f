# The Shapiro-Wilk test.
source("common.R")

add <- function(x) {
  r <- shapiro.test(plain(x))
  case(x = shown(x), w = r$statistic, p = r$p.value)
}

add(c(1, 2, 3))
add(c(1, 2, 4))
add(c(1, 1, 4))
add(c(0, 0, 1))
add(c(-3, 10, 11, 12))
add(c(1, 2, 3, 4, 5))
add(c(1, 1, 1, 1, 9))
add(c(2, 3, 5, 7, 11, 13))
# Royston 1982 and 1995, and Shapiro and Wilk's men's weights
add(c(148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236))
add(c(303, 338, 406, 457, 461, 469, 474, 489, 515, 583))
add(c(0.139, 0.157, 0.175, 0.256, 0.344, 0.413, 0.503, 0.577, 0.614, 0.655, 0.954, 1.392, 1.557,
      1.648, 1.690, 1.994, 2.174, 2.206, 3.245, 3.510, 3.571, 4.354, 4.980, 6.084, 8.351))
# every size around the changes of formula, in three shapes
for (size in c(4, 5, 6, 7, 10, 11, 12, 13, 20, 50)) {
  add(sample_of(size, 37, 101))
  add(sample_of(size, 37, 101, 50, 3))
  add(sample_of(size, 1, 1000, 0, 4))
}
for (size in c(100, 999, 1000, 2500, 5000)) {
  add(sample_of(size, 377, 10007))
  add(sample_of(size, 377, 10007, 5003, 3))
  add(sample_of(size, 377, 10007, 0, 3))
}
# near-normal samples of the largest sizes, and one with an outlier
add(qnorm(ppoints(60)))
add(c(qnorm(ppoints(40)), 12))
# scale and place must not matter
add(c(2, 3, 5, 7, 11, 13) * 1e-12)
add(c(2, 3, 5, 7, 11, 13) * 1e12 + 1e12)
finish()
