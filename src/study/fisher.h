// Fisher's exact test for two proportions, as R's fisher.test computes it.
#pragma once

#include <cstdint>

namespace dissensus::study {

/// A 2 x 2 table: two configurations, each with so many successes and failures.
struct Contingency {
  std::uint64_t first_yes = 0;
  std::uint64_t first_no = 0;
  std::uint64_t second_yes = 0;
  std::uint64_t second_no = 0;
};

struct FisherResult {
  double p_value = 1;  ///< two-sided: all tables no more probable than the one observed
  /// Cross product; infinity where a failure count is zero, NaN where it is 0 / 0.
  double sample_odds_ratio = 1;
  /// Conditional maximum-likelihood estimate (what R prints and the thesis quotes).
  double conditional_odds_ratio = 1;
};

FisherResult fisher_exact(const Contingency& table);

/// Both out of the same number of trials.
Contingency out_of(std::uint64_t trials, std::uint64_t first, std::uint64_t second);

}  // namespace dissensus::study
