// Two samples of numbers: the Wilcoxon rank-sum (Mann-Whitney) test, and how large the effect is.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "statistics/alternative.h"

namespace dissensus::statistics {

enum class RankSumMethod {
  automatic,  ///< R's rule: exact when both samples have fewer than 50 values and none are equal
  exact,
  normal,
};

struct RankSumOptions {
  /// `greater`: values of the first sample are larger.
  Alternative alternative = Alternative::two_sided;
  RankSumMethod method = RankSumMethod::automatic;
  /// Half a step towards the expected value, in the normal approximation.
  bool continuity_correction = true;
};

struct RankSumResult {
  /// R's W: pairs in which the first sample's value is larger, equal ones counted half.
  double w = 0;
  /// NaN where a sample is empty. Where all values are equal: NaN, or 1 for one side (as R).
  double p_value = 1;
  bool exact = false;
  bool ties = false;
};

/// Largest product of the sample sizes for which `exact` may be demanded.
inline constexpr std::size_t kExactPairsMax = 10'000;

/// As R's wilcox.test. Demanding `exact` with equal values, or beyond kExactPairsMax, is a broken
/// contract; `exact_is_possible` tells.
RankSumResult wilcoxon_rank_sum(std::span<const double> first, std::span<const double> second,
                                const RankSumOptions& options = {});
bool exact_is_possible(std::span<const double> first, std::span<const double> second);

/// Vargha and Delaney's A12: the probability that a value of the first sample is larger than one of
/// the second, equal ones counted half. NaN where a sample is empty.
double vargha_delaney(std::span<const double> first, std::span<const double> second);
/// "negligible", "small", "medium" or "large": beyond 0.56, 0.64 and 0.71 or their mirror images
/// (Vargha and Delaney 2000, table 1); "undefined" for NaN.
std::string_view magnitude(double a12);

}  // namespace dissensus::statistics
