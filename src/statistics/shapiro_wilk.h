// The Shapiro-Wilk test: could a sample come from a normal distribution?
#pragma once

#include <cstddef>
#include <span>

namespace dissensus::statistics {

struct ShapiroWilkResult {
  double w = 1;        ///< near 1 for normal samples
  double p_value = 1;  ///< small: not normal
};

inline constexpr std::size_t kShapiroWilkSizeMin = 3;
inline constexpr std::size_t kShapiroWilkSizeMax = 5000;

/// Royston's approximation (AS R94, Applied Statistics 44, 1995), as R's shapiro.test. Both numbers
/// are NaN for sizes outside the limits and for samples whose values are all equal.
ShapiroWilkResult shapiro_wilk(std::span<const double> sample);

}  // namespace dissensus::statistics
