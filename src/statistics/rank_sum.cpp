#include "statistics/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "core/assert.h"

namespace dissensus::statistics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Ranks {
  double w = 0;
  /// Sum over groups of equal values of size^3 - size.
  double ties = 0;
  bool all_equal = false;
};

Ranks rank(std::span<const double> first, std::span<const double> second) {
  struct Value {
    double value;
    bool of_first;
  };
  std::vector<Value> pooled;
  pooled.reserve(first.size() + second.size());
  for (const double value : first) pooled.push_back({value, true});
  for (const double value : second) pooled.push_back({value, false});
  std::sort(pooled.begin(), pooled.end(),
            [](const Value& a, const Value& b) { return a.value < b.value; });
  Ranks result;
  double rank_sum = 0;
  for (std::size_t begin = 0; begin < pooled.size();) {
    std::size_t end = begin;
    double of_first = 0;
    for (; end < pooled.size() && pooled[end].value == pooled[begin].value; ++end) {
      of_first += pooled[end].of_first ? 1 : 0;
    }
    rank_sum += of_first * static_cast<double>(begin + 1 + end) / 2;
    const auto size = static_cast<double>(end - begin);
    result.ties += size * size * size - size;
    result.all_equal = end - begin == pooled.size();
    begin = end;
  }
  const auto m = static_cast<double>(first.size());
  result.w = rank_sum - m * (m + 1) / 2;
  return result;
}

/// P(W = w) for w = 0..m n, all arrangements of m + n different values being equally probable.
/// Symmetric in m and n; memory grows with m * m * n.
std::vector<double> exact_distribution(std::size_t m, std::size_t n) {
  // ways[i][w]: arrangements of i values of the first sample among j of the second, for growing j.
  // The largest value belongs to the first sample, and is then above all j others, or it does not.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t j = 1; j <= n; ++j) {
    for (std::size_t i = 1; i <= m; ++i) {
      for (std::size_t w = i * j; w >= j; --w) ways[i][w] += ways[i - 1][w - j];
    }
  }
  std::vector<double>& result = ways[m];
  const double all = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& value : result) value /= all;
  return result;
}

double exact_p_value(std::size_t m, std::size_t n, double w, Alternative alternative) {
  const std::vector<double> probability = exact_distribution(std::min(m, n), std::max(m, n));
  const auto observed = static_cast<std::ptrdiff_t>(w);
  const auto begin = probability.begin();
  const auto at_most = [&] { return std::accumulate(begin, begin + observed + 1, 0.0); };
  // From the far end, where the small terms are.
  const auto at_least = [&] {
    return std::accumulate(probability.rbegin(), probability.rend() - observed, 0.0);
  };
  switch (alternative) {
    case Alternative::greater:
      return std::min(1.0, at_least());
    case Alternative::less:
      return std::min(1.0, at_most());
    case Alternative::two_sided:
      break;
  }
  const double pairs = static_cast<double>(m) * static_cast<double>(n);
  return std::min(1.0, 2 * (w > pairs / 2 ? at_least() : at_most()));
}

double normal_p_value(double m, double n, const Ranks& ranks, const RankSumOptions& options) {
  const double difference = ranks.w - m * n / 2;
  const double variance = m * n / 12 * (m + n + 1 - ranks.ties / ((m + n) * (m + n - 1)));
  double correction = 0;
  if (options.continuity_correction) {
    switch (options.alternative) {
      case Alternative::greater:
        correction = 0.5;
        break;
      case Alternative::less:
        correction = -0.5;
        break;
      case Alternative::two_sided:
        correction = difference > 0 ? 0.5 : difference < 0 ? -0.5 : 0;
        break;
    }
  }
  if (ranks.all_equal) return correction == 0 ? kNaN : 1;
  const double z = (difference - correction) / std::sqrt(variance);
  const boost::math::normal normal;
  switch (options.alternative) {
    case Alternative::greater:
      return cdf(complement(normal, z));
    case Alternative::less:
      return cdf(normal, z);
    case Alternative::two_sided:
      break;
  }
  return 2 * cdf(normal, -std::abs(z));
}

bool exact_is_possible(std::size_t m, std::size_t n, const Ranks& ranks) {
  return ranks.ties == 0 && m <= kExactPairsMax && n <= kExactPairsMax && m * n <= kExactPairsMax;
}

}  // namespace

RankSumResult wilcoxon_rank_sum(std::span<const double> first, std::span<const double> second,
                                const RankSumOptions& options) {
  const std::size_t m = first.size();
  const std::size_t n = second.size();
  if (m == 0 || n == 0) return {kNaN, kNaN, false, false};
  const Ranks ranks = rank(first, second);
  RankSumResult result;
  result.w = ranks.w;
  result.ties = ranks.ties > 0;
  constexpr std::size_t kExactBelow = 50;
  const bool small = m < kExactBelow && n < kExactBelow;
  result.exact = options.method == RankSumMethod::exact ||
                 (options.method == RankSumMethod::automatic && small && !result.ties);
  if (result.exact) {
    DISSENSUS_ASSERT(exact_is_possible(m, n, ranks), "the exact test was demanded");
    result.p_value = exact_p_value(m, n, ranks.w, options.alternative);
  } else {
    result.p_value = normal_p_value(static_cast<double>(m), static_cast<double>(n), ranks, options);
  }
  return result;
}

bool exact_is_possible(std::span<const double> first, std::span<const double> second) {
  return exact_is_possible(first.size(), second.size(), rank(first, second));
}

double vargha_delaney(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return kNaN;
  return rank(first, second).w /
         (static_cast<double>(first.size()) * static_cast<double>(second.size()));
}

std::string_view magnitude(double a12) {
  if (std::isnan(a12)) return "undefined";
  // Distances from one half that begin a small, a medium and a large effect.
  const double distance = std::abs(a12 - 0.5);
  if (distance < 0.06) return "negligible";
  if (distance < 0.14) return "small";
  if (distance < 0.21) return "medium";
  return "large";
}

}  // namespace dissensus::statistics
