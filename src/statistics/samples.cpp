#include "statistics/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dissensus::statistics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> result(sample.begin(), sample.end());
  std::sort(result.begin(), result.end());
  return result;
}

/// P(sup |bridge| > x).
double kolmogorov_tail(double x) {
  if (x < 0.2) return 1;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * x * x);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-17) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

/// P(D >= observed) over all equally probable ways to deal the pooled values to the two samples:
/// lattice paths that never reach the distance, counted as probabilities row by row.
double exact_tail(const std::vector<double>& first, const std::vector<double>& second,
                  double observed) {
  std::vector<double> pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  std::sort(pooled.begin(), pooled.end());
  const std::size_t m = first.size();
  const std::size_t n = second.size();
  const double bound = observed - 1e-9;
  // Distances count only where a run of equal values is complete.
  const auto allowed = [&](std::size_t i, std::size_t j) {
    const std::size_t taken = i + j;
    if (taken == 0 || taken == pooled.size()) return true;
    if (pooled[taken - 1] == pooled[taken]) return true;
    const double distance = static_cast<double>(i) / static_cast<double>(m) -
                            static_cast<double>(j) / static_cast<double>(n);
    return std::abs(distance) < bound;
  };
  // row[j]: probability that a path is at (i, j) and was allowed all along.
  std::vector<double> row(n + 1, 0.0);
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      double value = i == 0 && j == 0 ? 1.0 : 0.0;
      const auto left = static_cast<double>(m + n - (i + j) + 1);  // values not yet dealt
      if (i > 0) value += row[j] * static_cast<double>(m - i + 1) / left;
      if (j > 0) value += row[j - 1] * static_cast<double>(n - j + 1) / left;
      row[j] = allowed(i, j) ? value : 0.0;
    }
  }
  return std::clamp(1 - row[n], 0.0, 1.0);
}

}  // namespace

double mean(std::span<const double> sample) {
  if (sample.empty()) return kNaN;
  double sum = 0;
  for (const double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

double standard_deviation(std::span<const double> sample) {
  if (sample.size() < 2) return 0;
  const double centre = mean(sample);
  double sum = 0;
  for (const double value : sample) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(sample.size() - 1));
}

double quantile(std::span<const double> sample, double q) {
  if (sample.empty()) return kNaN;
  const std::vector<double> values = sorted(sample);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

double share_at_most(std::span<const double> values, double x) {
  const auto end = std::upper_bound(values.begin(), values.end(), x);
  return static_cast<double>(end - values.begin()) / static_cast<double>(values.size());
}

double correlation(std::span<const double> first, std::span<const double> second) {
  const double mean_first = mean(first);
  const double mean_second = mean(second);
  double both = 0;
  double square_first = 0;
  double square_second = 0;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    both += (first[i] - mean_first) * (second[i] - mean_second);
    square_first += (first[i] - mean_first) * (first[i] - mean_first);
    square_second += (second[i] - mean_second) * (second[i] - mean_second);
  }
  if (square_first == 0 || square_second == 0) return kNaN;
  return both / std::sqrt(square_first * square_second);
}

Distance kolmogorov_smirnov(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return {kNaN, kNaN};
  const std::vector<double> a = sorted(first);
  const std::vector<double> b = sorted(second);
  Distance result;
  const auto look_at = [&](double x) {
    const double difference = std::abs(share_at_most(a, x) - share_at_most(b, x));
    result.statistic = std::max(result.statistic, difference);
  };
  for (const double x : a) look_at(x);
  for (const double x : b) look_at(x);
  constexpr std::size_t kExactProduct = 10'000;
  if (a.size() * b.size() < kExactProduct) {
    result.p_value = exact_tail(a, b, result.statistic);
  } else {
    const auto m = static_cast<double>(a.size());
    const auto n = static_cast<double>(b.size());
    result.p_value = kolmogorov_tail(result.statistic * std::sqrt(m * n / (m + n)));
  }
  return result;
}

Distance against_uniform(std::span<const double> sample) {
  if (sample.empty()) return {kNaN, kNaN};
  const std::vector<double> values = sorted(sample);
  const auto n = static_cast<double>(values.size());
  Distance result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    result.statistic =
        std::max({result.statistic, values[i] - rank / n, (rank + 1) / n - values[i]});
  }
  const double root = std::sqrt(n);
  result.p_value = kolmogorov_tail((root + 0.12 + 0.11 / root) * result.statistic);
  return result;
}

}  // namespace dissensus::statistics
