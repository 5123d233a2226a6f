// The statistics of scalable bug isolation (Liblit et al. 2005) as the paper simplifies them, with
// confidence intervals for the improved mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/proportion.h"

namespace dissensus::isolate {

/// In how many runs a predicate was observed, and observed to be true.
struct Counts {
  std::size_t failing_true = 0;
  std::size_t successful_true = 0;
  std::size_t failing_observed = 0;
  std::size_t successful_observed = 0;
};

/// Failure(P): share of failing runs among those where P is true; 0 where it never is.
double failure(const Counts& counts);
/// Context(P): share of failing runs among those where P is observed.
double context(const Counts& counts);
/// Failure - Context.
double increase(const Counts& counts);
/// Harmonic mean of `increase` and log(failing_true) / log(failing); 0 where it is not defined.
double importance(double increase, std::size_t failing_true, std::size_t failing);

/// Interval of Failure - Context by Newcombe's method from the two Wilson intervals. The two
/// proportions share runs, which makes it wider than it need be.
Interval increase_interval(const Counts& counts, double z);
/// Natural logarithm of an upper bound of the probability that a predicate which has nothing to do
/// with failing holds in so many failing runs (Hoeffding's bound for draws without replacement).
double log_chance(const Counts& counts);
inline constexpr double kZ95 = 1.959963984540054;

/// How well a predicate finds the runs of a label. All 0 where nothing is found.
struct Scores {
  std::size_t true_positive = 0;
  std::size_t false_positive = 0;
  std::size_t false_negative = 0;
  /// False where no run has the label: nothing can be said about finding it.
  bool occurs() const { return true_positive + false_negative > 0; }
  double precision() const;
  double recall() const;
  double f1() const;
  double f_half() const;  ///< F0.5: precision counts twice as much as recall
};

}  // namespace dissensus::isolate
