#include "isolate/statistics.h"

#include <algorithm>
#include <cmath>

#include "dissensus/random.h"

namespace dissensus::isolate {
namespace {

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double failure(const Counts& counts) {
  return ratio(counts.failing_true, counts.failing_true + counts.successful_true);
}

double context(const Counts& counts) {
  return ratio(counts.failing_observed, counts.failing_observed + counts.successful_observed);
}

double increase(const Counts& counts) {
  return failure(counts) - context(counts);
}

double importance(double increase, std::size_t failing_true, std::size_t failing) {
  if (increase == 0 || failing_true <= 1 || failing <= 1) return 0;
  return 2 / ((1 / increase) + (1 / (portable_log(static_cast<double>(failing_true)) /
                                     portable_log(static_cast<double>(failing)))));
}

Interval increase_interval(const Counts& counts, double z) {
  const double p = failure(counts);
  const double q = context(counts);
  const Interval first =
      wilson_interval(counts.failing_true, counts.failing_true + counts.successful_true, z);
  const Interval second = wilson_interval(counts.failing_observed,
                                          counts.failing_observed + counts.successful_observed, z);
  const auto distance = [](double a, double b) { return std::sqrt(a * a + b * b); };
  return {p - q - distance(p - first.low, second.high - q),
          p - q + distance(first.high - p, q - second.low)};
}

double log_chance(const Counts& counts) {
  const double draws = static_cast<double>(counts.failing_observed);
  const double all = draws + static_cast<double>(counts.successful_observed);
  if (draws == 0) return 0;
  const double seen = static_cast<double>(counts.failing_true) / draws;
  const double expected = static_cast<double>(counts.failing_true + counts.successful_true) / all;
  if (seen <= expected) return 0;
  const auto term = [](double p, double q) { return p == 0 ? 0 : p * portable_log(p / q); };
  return -draws * (term(seen, expected) + term(1 - seen, 1 - expected));
}

double Scores::precision() const {
  return ratio(true_positive, true_positive + false_positive);
}

double Scores::recall() const {
  return ratio(true_positive, true_positive + false_negative);
}

double Scores::f1() const {
  const double p = precision();
  const double r = recall();
  return p + r == 0 ? 0 : 2 * (p * r) / (p + r);
}

double Scores::f_half() const {
  const double p = precision();
  const double r = recall();
  return p + r == 0 ? 0 : 1.25 * (p * r) / (0.25 * p + r);
}

}  // namespace dissensus::isolate
