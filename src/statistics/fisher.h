// Fisher's exact test for two proportions, as R's fisher.test computes it.
#pragma once

#include <cstdint>

#include "statistics/alternative.h"
#include "statistics/samples.h"

namespace dissensus::statistics {

/// A 2 x 2 table: two configurations, each with so many successes and failures.
struct Contingency {
  std::uint64_t first_yes = 0;
  std::uint64_t first_no = 0;
  std::uint64_t second_yes = 0;
  std::uint64_t second_no = 0;
};

struct FisherOptions {
  /// `greater`: the odds of the first configuration are larger.
  Alternative alternative = Alternative::two_sided;
  double confidence = 0.95;
};

/// R stops its search for odds ratios at a tolerance of 1.2e-4, which shows in the digits that
/// papers quote: an upper limit of 42.181 for 64/26 against 11/79, where the exact one is 42.198.
struct FisherAsPrintedByR {
  double odds_ratio = 1;
  Interval interval;
};

struct FisherResult {
  double p_value = 1;  ///< two-sided: all tables no more probable than the one observed
  /// Cross product; infinity where a failure count is zero, NaN where it is 0 / 0.
  double sample_odds_ratio = 1;
  /// Conditional maximum-likelihood estimate, to the last digits; NaN where the margins allow one
  /// table only (R says 0 there).
  double conditional_odds_ratio = 1;
  /// Exact confidence interval of the odds ratio; one-sided for one-sided alternatives.
  Interval interval;
  FisherAsPrintedByR r;
};

/// Any counts below 2^53; time grows with the spread of the table's distribution, not with counts.
FisherResult fisher_exact(const Contingency& table, const FisherOptions& options = {});

/// Both out of the same number of trials.
Contingency out_of(std::uint64_t trials, std::uint64_t first, std::uint64_t second);

}  // namespace dissensus::statistics
