#include "statistics/fisher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "statistics/root.h"

namespace dissensus::statistics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Probabilities of low, low + 1, ...; values beyond either end have probability 0 in doubles.
struct Probabilities {
  std::uint64_t low = 0;
  std::vector<double> values;

  double of(std::uint64_t x) const {
    return x < low || x - low >= values.size() ? 0 : values[x - low];
  }
  double mean_above(std::uint64_t x) const {
    const double first = static_cast<double>(low) - static_cast<double>(x);
    double result = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      result += values[i] * (first + static_cast<double>(i));
    }
    return result;
  }
  double at_least(std::uint64_t x) const {
    double result = 0;
    for (std::size_t i = x > low ? x - low : 0; i < values.size(); ++i) result += values[i];
    return std::min(result, 1.0);
  }
  double at_most(std::uint64_t x) const {
    double result = 0;
    for (std::size_t i = 0; i < values.size() && low + i <= x; ++i) result += values[i];
    return std::min(result, 1.0);
  }
};

/// The distribution of first_yes given all margins (non-central hypergeometric).
class Hypergeometric {
 public:
  explicit Hypergeometric(const Contingency& table)
      : first_(table.first_yes + table.first_no),
        second_(table.second_yes + table.second_no),
        yes_(table.first_yes + table.second_yes),
        low_(yes_ > second_ ? yes_ - second_ : 0),
        high_(std::min(first_, yes_)) {}

  std::uint64_t low() const { return low_; }
  std::uint64_t high() const { return high_; }

  /// For odds in [0, infinity]. Ratios of neighbours, multiplied outwards from the mode, keep the
  /// relative error of the smallest probability near the rounding error. What is less than
  /// `negligible` times as probable as the mode is left out.
  Probabilities at(double odds, double negligible = 0) const {
    const std::uint64_t mode = mode_at(odds);
    std::vector<double> below;
    double weight = 1;
    for (std::uint64_t x = mode; x > low_ && weight > negligible; --x) {
      weight /= ratio(x - 1) * odds;
      below.push_back(weight);
    }
    Probabilities result{mode - below.size(), {below.rbegin(), below.rend()}};
    weight = 1;
    result.values.push_back(weight);
    for (std::uint64_t x = mode; x < high_ && weight > negligible; ++x) {
      weight *= ratio(x) * odds;
      result.values.push_back(weight);
    }
    double sum = 0;
    for (const double value : result.values) sum += value;
    for (double& value : result.values) value /= sum;
    return result;
  }

 private:
  /// P(x + 1) / P(x) at equal odds; falls with x.
  double ratio(std::uint64_t x) const {
    return static_cast<double>(first_ - x) / static_cast<double>(x + 1) *
           (static_cast<double>(yes_ - x) / static_cast<double>(second_ + x + 1 - yes_));
  }

  std::uint64_t mode_at(double odds) const {
    std::uint64_t below = low_;
    std::uint64_t above = high_;
    while (below < above) {
      const std::uint64_t middle = below + (above - below) / 2;
      if (ratio(middle) * odds > 1) {
        below = middle + 1;
      } else {
        above = middle;
      }
    }
    return below;
  }

  std::uint64_t first_;
  std::uint64_t second_;
  std::uint64_t yes_;
  std::uint64_t low_;
  std::uint64_t high_;
};

/// How far a search for odds goes. The second row is R's: uniroot's default tolerance, and an
/// interval of reciprocals that stops at the machine's epsilon.
struct Precision {
  double tolerance = 0;
  double relative = 1e-13;
  double reciprocal_min = 0;
};
constexpr Precision kLastDigits{};
constexpr Precision kAsR{0x1p-13, 0, std::numeric_limits<double>::epsilon()};

/// The odds at which `target` of the distribution, monotone in the odds, is zero. Odds above 1 are
/// sought by their reciprocal, as in R.
template <typename Target>
double odds_where(const Hypergeometric& distribution, const Target& target, bool rising,
                  const Precision& precision) {
  constexpr double kNegligible = 1e-30;  // sums near a confidence level do not see less
  const auto target_at = [&](double odds) { return target(distribution.at(odds, kNegligible)); };
  const double at_one = target_at(1);
  if (at_one == 0) return 1;
  if ((at_one > 0) == rising) {
    return brent_root(target_at, 0, 1, precision.tolerance, precision.relative);
  }
  return 1 / brent_root([&](double reciprocal) { return target_at(1 / reciprocal); },
                        precision.reciprocal_min, 1, precision.tolerance, precision.relative);
}

double estimated_odds(const Hypergeometric& distribution, std::uint64_t x,
                      const Precision& precision) {
  if (x == distribution.low()) return 0;
  if (x == distribution.high()) return kInfinity;
  const auto target = [x](const Probabilities& p) { return p.mean_above(x); };
  return odds_where(distribution, target, true, precision);
}

double lower_odds(const Hypergeometric& distribution, std::uint64_t x, double alpha,
                  const Precision& precision) {
  if (x == distribution.low()) return 0;
  const auto target = [x, alpha](const Probabilities& p) { return p.at_least(x) - alpha; };
  return odds_where(distribution, target, true, precision);
}

double upper_odds(const Hypergeometric& distribution, std::uint64_t x, double alpha,
                  const Precision& precision) {
  if (x == distribution.high()) return kInfinity;
  const auto target = [x, alpha](const Probabilities& p) { return p.at_most(x) - alpha; };
  return odds_where(distribution, target, false, precision);
}

Interval odds_interval(const Hypergeometric& distribution, std::uint64_t x,
                       const FisherOptions& options, const Precision& precision) {
  const double outside = 1 - options.confidence;
  switch (options.alternative) {
    case Alternative::less:
      return {0, upper_odds(distribution, x, outside, precision)};
    case Alternative::greater:
      return {lower_odds(distribution, x, outside, precision), kInfinity};
    case Alternative::two_sided:
      break;
  }
  return {lower_odds(distribution, x, outside / 2, precision),
          upper_odds(distribution, x, outside / 2, precision)};
}

double tail_probability(const Probabilities& probability, std::uint64_t x,
                        Alternative alternative) {
  if (alternative == Alternative::greater) return probability.at_least(x);
  if (alternative == Alternative::less) return probability.at_most(x);
  // R's allowance for rounding when probabilities should be equal.
  constexpr double kRounding = 1 + 1e-7;
  const double observed = probability.of(x) * kRounding;
  double sum = 0;
  for (const double value : probability.values) {
    if (value <= observed) sum += value;
  }
  return std::min(sum, 1.0);
}

}  // namespace

FisherResult fisher_exact(const Contingency& table, const FisherOptions& options) {
  const Hypergeometric distribution(table);
  const std::uint64_t x = table.first_yes;
  FisherResult result;
  result.p_value = tail_probability(distribution.at(1), x, options.alternative);
  result.sample_odds_ratio =
      static_cast<double>(table.first_yes) * static_cast<double>(table.second_no) /
      (static_cast<double>(table.first_no) * static_cast<double>(table.second_yes));
  result.conditional_odds_ratio = distribution.low() == distribution.high()
                                      ? std::numeric_limits<double>::quiet_NaN()
                                      : estimated_odds(distribution, x, kLastDigits);
  result.interval = odds_interval(distribution, x, options, kLastDigits);
  result.r.odds_ratio = estimated_odds(distribution, x, kAsR);
  result.r.interval = odds_interval(distribution, x, options, kAsR);
  return result;
}

Contingency out_of(std::uint64_t trials, std::uint64_t first, std::uint64_t second) {
  return {first, trials - first, second, trials - second};
}

}  // namespace dissensus::statistics
