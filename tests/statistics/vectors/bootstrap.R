# Intervals from replicates that are given: percentile and BCa (Efron and Tibshirani 1993, 14.3),
# written out with R's quantile (type 7), qnorm and pnorm. The replicates are deterministic resamples.
source("common.R")

add <- function(x, statistic, name, resamples, factor, confidence) {
  x <- plain(x)
  index <- (seq_len(length(x) * resamples) * factor) %% 10007 %% length(x) + 1
  replicates <- apply(matrix(x[index], nrow = resamples, byrow = TRUE), 1, statistic)
  left.out <- sapply(seq_along(x), function(i) statistic(x[-i]))
  estimate <- statistic(x)
  outside <- (1 - confidence) / 2
  nominal <- c(outside, 1 - outside)
  percentile <- quantile(replicates, nominal, type = 7)
  difference <- mean(left.out) - left.out
  a <- sum(difference^3) / (6 * sum(difference^2)^1.5)
  z0 <- qnorm(mean(replicates < estimate))
  z <- z0 + qnorm(nominal)
  bca <- quantile(replicates, pnorm(z0 + z / (1 - a * z)), type = 7)
  case(x = I(x), statistic = name, resamples = resamples, factor = factor, confidence = confidence,
       estimate = estimate, standard_error = sd(replicates), percentile = I(percentile),
       bca = I(bca))
}

skewed <- sample_of(25, 37, 101, 0, 3)
for (confidence in c(0.8, 0.95, 0.99)) {
  add(skewed, mean, "mean", 499, 7919, confidence)
  add(skewed, median, "median", 499, 7919, confidence)
  add(sample_of(8, 37, 101), mean, "mean", 999, 6151, confidence)
  add(sample_of(40, 41, 103, 50, 3), mean, "mean", 200, 4801, confidence)
}
finish()
