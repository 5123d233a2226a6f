// Summaries and comparisons of samples of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/proportion.h"

namespace dissensus::statistics {

/// NaN for an empty sample.
double mean(std::span<const double> sample);
/// With n - 1 in the denominator; 0 for fewer than two values.
double standard_deviation(std::span<const double> sample);
/// Linear interpolation between order statistics (R type 7); 0 <= q <= 1. NaN for an empty sample.
double quantile(std::span<const double> sample, double q);
/// Share of values at or below x.
double share_at_most(std::span<const double> sorted, double x);
/// Pearson's correlation of pairs; NaN where a side does not vary.
double correlation(std::span<const double> first, std::span<const double> second);

struct Distance {
  double statistic = 0;  ///< largest vertical distance of the two distribution functions
  double p_value = 1;
};

/// Two-sample Kolmogorov-Smirnov. The p-value is exact, given the ties, for sizes whose product is
/// below 10,000 (R's rule), else from the limiting distribution. NaN statistic for empty samples.
Distance kolmogorov_smirnov(std::span<const double> first, std::span<const double> second);

/// One sample in [0, 1] against the uniform distribution, p-value from the limiting distribution
/// with Stephens's correction for small samples.
Distance against_uniform(std::span<const double> sample);

}  // namespace dissensus::statistics
