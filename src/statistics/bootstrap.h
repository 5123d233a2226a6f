// Bootstrap confidence intervals of any statistic of one sample (Efron and Tibshirani 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "statistics/samples.h"

namespace dissensus::statistics {

enum class BootstrapMethod {
  percentile,
  bca,  ///< bias-corrected and accelerated
};
constexpr std::string_view to_string(BootstrapMethod method) {
  return method == BootstrapMethod::percentile ? "percentile" : "bca";
}

using Statistic = std::function<double(std::span<const double>)>;

struct BootstrapOptions {
  BootstrapMethod method = BootstrapMethod::bca;
  double confidence = 0.95;
  std::size_t resamples = 10'000;
  std::uint64_t seed = 1;
};

struct BootstrapResult {
  double estimate = 0;
  double standard_error = 0;
  Interval interval;
  /// `percentile` also where BCa was asked for and is undefined: every resample on one side of the
  /// estimate, or no variation when single values are left out.
  BootstrapMethod method = BootstrapMethod::percentile;
};

/// The same sample, options and statistic give the same interval everywhere. The sample is not
/// empty; the statistic never sees an empty one, and BCa needs two values.
BootstrapResult bootstrap(std::span<const double> sample, const Statistic& statistic,
                          const BootstrapOptions& options = {});

/// The statistic of every resample, in the order of drawing.
std::vector<double> bootstrap_replicates(std::span<const double> sample, const Statistic& statistic,
                                         std::size_t resamples, std::uint64_t seed);
/// The statistic of the sample without its i-th value, for every i.
std::vector<double> leave_one_out(std::span<const double> sample, const Statistic& statistic);
/// The interval for replicates that are at hand; `left_out` is used by BCa alone.
BootstrapResult bootstrap_interval(double estimate, std::span<const double> replicates,
                                   std::span<const double> left_out,
                                   const BootstrapOptions& options);

}  // namespace dissensus::statistics
