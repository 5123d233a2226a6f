#include "statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <boost/math/distributions/normal.hpp>

#include "dissensus/random.h"

#include "core/assert.h"

namespace dissensus::statistics {
namespace {

/// A sixth of the skewness of the statistic's influence, from the jackknife.
std::optional<double> acceleration(std::span<const double> left_out) {
  const double centre = mean(left_out);
  double squares = 0;
  double cubes = 0;
  for (const double value : left_out) {
    const double difference = centre - value;
    squares += difference * difference;
    cubes += difference * difference * difference;
  }
  if (!(squares > 0)) return std::nullopt;
  return cubes / (6 * squares * std::sqrt(squares));
}

/// The percentiles of the replicates that BCa reads instead of the nominal ones.
std::optional<Interval> bca_levels(double estimate, std::span<const double> replicates,
                                   std::span<const double> left_out, double outside) {
  const auto below = static_cast<double>(std::count_if(
      replicates.begin(), replicates.end(), [&](double value) { return value < estimate; }));
  const double share = below / static_cast<double>(replicates.size());
  const std::optional<double> skew = acceleration(left_out);
  if (!(share > 0) || !(share < 1) || !skew) return std::nullopt;
  const boost::math::normal normal;
  const double bias = quantile(normal, share);
  const auto level = [&](double nominal) -> std::optional<double> {
    const double shifted = bias + quantile(normal, nominal);
    const double denominator = 1 - *skew * shifted;
    if (!(denominator > 0)) return std::nullopt;
    return cdf(normal, bias + shifted / denominator);
  };
  const std::optional<double> low = level(outside);
  const std::optional<double> high = level(1 - outside);
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

}  // namespace

std::vector<double> bootstrap_replicates(std::span<const double> sample, const Statistic& statistic,
                                         std::size_t resamples, std::uint64_t seed) {
  std::vector<double> result;
  result.reserve(resamples);
  std::vector<double> drawn(sample.size());
  Random random(seed, "bootstrap");
  for (std::size_t i = 0; i < resamples; ++i) {
    for (double& value : drawn) value = sample[random.below(sample.size())];
    result.push_back(statistic(drawn));
  }
  return result;
}

std::vector<double> leave_one_out(std::span<const double> sample, const Statistic& statistic) {
  std::vector<double> result;
  result.reserve(sample.size());
  std::vector<double> rest(sample.begin() + 1, sample.end());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    result.push_back(statistic(rest));
    if (i < rest.size()) rest[i] = sample[i];
  }
  return result;
}

BootstrapResult bootstrap_interval(double estimate, std::span<const double> replicates,
                                   std::span<const double> left_out,
                                   const BootstrapOptions& options) {
  DISSENSUS_ASSERT(!replicates.empty(), "an interval needs replicates");
  const double outside = (1 - options.confidence) / 2;
  BootstrapResult result;
  result.estimate = estimate;
  result.standard_error = standard_deviation(replicates);
  Interval levels{outside, 1 - outside};
  if (options.method == BootstrapMethod::bca) {
    if (const auto adjusted = bca_levels(estimate, replicates, left_out, outside)) {
      levels = *adjusted;
      result.method = BootstrapMethod::bca;
    }
  }
  result.interval = {quantile(replicates, levels.low), quantile(replicates, levels.high)};
  return result;
}

BootstrapResult bootstrap(std::span<const double> sample, const Statistic& statistic,
                          const BootstrapOptions& options) {
  DISSENSUS_ASSERT(!sample.empty(), "nothing to draw from");
  const std::vector<double> replicates =
      bootstrap_replicates(sample, statistic, options.resamples, options.seed);
  std::vector<double> left_out;
  if (options.method == BootstrapMethod::bca && sample.size() > 1) {
    left_out = leave_one_out(sample, statistic);
  }
  return bootstrap_interval(statistic(sample), replicates, left_out, options);
}

}  // namespace dissensus::statistics
