#include "study/fisher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dissensus::study {
namespace {

double log_choose(std::uint64_t n, std::uint64_t k) {
  const auto log_factorial = [](std::uint64_t x) {
    return std::lgamma(static_cast<double>(x) + 1);
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// The distribution of first_yes given all margins: log weights for low..low + size - 1.
struct Hypergeometric {
  std::uint64_t low = 0;
  std::vector<double> log_weight;

  explicit Hypergeometric(const Contingency& table) {
    const std::uint64_t first = table.first_yes + table.first_no;
    const std::uint64_t second = table.second_yes + table.second_no;
    const std::uint64_t yes = table.first_yes + table.second_yes;
    low = yes > second ? yes - second : 0;
    const std::uint64_t high = std::min(first, yes);
    for (std::uint64_t x = low; x <= high; ++x) {
      log_weight.push_back(log_choose(first, x) + log_choose(second, yes - x));
    }
  }

  /// Probabilities when the odds ratio is exp(log_odds).
  std::vector<double> probabilities(double log_odds) const {
    std::vector<double> result(log_weight.size());
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = log_weight[i] + log_odds * static_cast<double>(low + i);
      largest = std::max(largest, result[i]);
    }
    double sum = 0;
    for (double& value : result) sum += value = std::exp(value - largest);
    for (double& value : result) value /= sum;
    return result;
  }

  double mean(double log_odds) const {
    const std::vector<double> probability = probabilities(log_odds);
    double result = 0;
    for (std::size_t i = 0; i < probability.size(); ++i) {
      result += probability[i] * static_cast<double>(low + i);
    }
    return result;
  }
};

/// The odds ratio under which the observed count is the expected one.
double conditional_estimate(const Hypergeometric& distribution, std::uint64_t observed) {
  if (distribution.log_weight.size() == 1) return std::numeric_limits<double>::quiet_NaN();
  if (observed == distribution.low) return 0;
  if (observed == distribution.low + distribution.log_weight.size() - 1) {
    return std::numeric_limits<double>::infinity();
  }
  double below = -60;  // the mean rises with the odds, so halving finds the place
  double above = 60;
  constexpr int kHalvings = 200;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (below + above) / 2;
    (distribution.mean(middle) < static_cast<double>(observed) ? below : above) = middle;
  }
  return std::exp((below + above) / 2);
}

}  // namespace

FisherResult fisher_exact(const Contingency& table) {
  const Hypergeometric distribution(table);
  const std::vector<double> probability = distribution.probabilities(0);
  const double observed = probability[table.first_yes - distribution.low];
  // R's allowance for rounding when probabilities should be equal.
  constexpr double kRounding = 1 + 1e-7;
  FisherResult result;
  result.p_value = 0;
  for (const double value : probability) {
    if (value <= observed * kRounding) result.p_value += value;
  }
  result.p_value = std::min(result.p_value, 1.0);
  result.sample_odds_ratio =
      static_cast<double>(table.first_yes) * static_cast<double>(table.second_no) /
      (static_cast<double>(table.first_no) * static_cast<double>(table.second_yes));
  result.conditional_odds_ratio = conditional_estimate(distribution, table.first_yes);
  return result;
}

Contingency out_of(std::uint64_t trials, std::uint64_t first, std::uint64_t second) {
  return {first, trials - first, second, trials - second};
}

}  // namespace dissensus::study
