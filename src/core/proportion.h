// How sure one can be of a share that was counted.
#pragma once

#include <cstdint>

namespace dissensus {

struct Interval {
  double low = 0;
  double high = 1;
};

/// The two-sided 95 % quantile of the normal distribution.
inline constexpr double kNormal95 = 1.959963984540054;

/// Wilson's score interval of a proportion; [0, 1] where there are no trials.
Interval wilson_interval(std::uint64_t hits, std::uint64_t trials, double quantile = kNormal95);

}  // namespace dissensus
