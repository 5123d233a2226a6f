#include "statistics/root.h"

#include <cmath>
#include <limits>
#include <utility>

namespace dissensus::statistics {
namespace {

/// The bracket: `best` has the smallest |value|, `other` the opposite sign, `previous` came before.
struct Bracket {
  double previous, best, other;
  double value_previous, value_best, value_other;

  void put_smallest_first() {
    if (std::abs(value_other) >= std::abs(value_best)) return;
    previous = best;
    best = other;
    other = previous;
    value_previous = value_best;
    value_best = value_other;
    value_other = value_previous;
  }

  /// The step of the secant, or of the inverse parabola through three points, as a fraction.
  std::pair<double, double> interpolated_step() const {
    const double width = other - best;
    const double to_previous = value_best / value_previous;
    double numerator = width * to_previous;
    double denominator = 1 - to_previous;
    if (previous != other) {
      const double ratio = value_previous / value_other;
      const double to_other = value_best / value_other;
      numerator =
          to_previous * (width * ratio * (ratio - to_other) - (best - previous) * (to_other - 1));
      denominator = (ratio - 1) * (to_other - 1) * (to_previous - 1);
    }
    if (numerator > 0) return {numerator, -denominator};
    return {-numerator, denominator};
  }
};

}  // namespace

double brent_root(const std::function<double(double)>& function, double low, double high,
                  double tolerance, double relative) {
  const double at_low = function(low);
  const double at_high = function(high);
  if (at_low == 0) return low;
  if (at_high == 0) return high;
  if ((at_low > 0) == (at_high > 0)) return std::numeric_limits<double>::quiet_NaN();
  Bracket bracket{low, high, low, at_low, at_high, at_low};
  constexpr int kSteps = 1000;
  for (int i = 0; i < kSteps; ++i) {
    const double last_step = bracket.best - bracket.previous;
    bracket.put_smallest_first();
    const double enough =
        (2 * std::numeric_limits<double>::epsilon() + relative / 2) * std::abs(bracket.best) +
        tolerance / 2;
    double step = (bracket.other - bracket.best) / 2;
    if (std::abs(step) <= enough || bracket.value_best == 0) break;
    if (std::abs(last_step) >= enough &&
        std::abs(bracket.value_previous) > std::abs(bracket.value_best)) {
      const auto [numerator, denominator] = bracket.interpolated_step();
      const double width = bracket.other - bracket.best;
      const bool inside =
          numerator < 0.75 * width * denominator - std::abs(enough * denominator) / 2;
      if (inside && numerator < std::abs(last_step * denominator / 2)) {
        step = numerator / denominator;
      }
    }
    if (std::abs(step) < enough) step = step > 0 ? enough : -enough;
    bracket.previous = bracket.best;
    bracket.value_previous = bracket.value_best;
    bracket.best += step;
    bracket.value_best = function(bracket.best);
    if ((bracket.value_best > 0) == (bracket.value_other > 0)) {
      bracket.other = bracket.previous;
      bracket.value_other = bracket.value_previous;
    }
  }
  return bracket.best;
}

}  // namespace dissensus::statistics
