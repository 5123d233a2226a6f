#include "core/proportion.h"

#include <cmath>

namespace dissensus {

Interval wilson_interval(std::uint64_t hits, std::uint64_t trials, double quantile) {
  if (trials == 0) return {};
  const auto count = static_cast<double>(trials);
  const double share = static_cast<double>(hits) / count;
  const double square = quantile * quantile / count;
  const double center = share + square / 2;
  const double spread = quantile * std::sqrt(share * (1 - share) / count + square / (4 * count));
  // Exact where rounding would leave a remainder.
  return {hits == 0 ? 0 : (center - spread) / (1 + square),
          hits == trials ? 1 : (center + spread) / (1 + square)};
}

}  // namespace dissensus
