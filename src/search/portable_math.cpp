#include "search/portable_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dissensus::search {

double portable_exp(double x) {
  if (!(x > -708)) return 0;
  if (x > 709) return std::numeric_limits<double>::max();
  // x = k ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts keeps r exact to the last bit.
  constexpr double kLog2High = 0x1.62e42fefa3800p-1;
  constexpr double kLog2Low = 0x1.ef35793c76730p-45;
  const double k = std::floor(x * 1.4426950408889634074 + 0.5);
  const double r = (x - k * kLog2High) - k * kLog2Low;
  double sum = 1;
  for (int i = 14; i >= 1; --i) sum = 1 + sum * r * (1.0 / i);
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
  return sum * std::bit_cast<double>(exponent << 52);
}

double portable_pow(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (base <= 0) return exponent > 0 ? 0 : std::numeric_limits<double>::max();
  return portable_exp(exponent * portable_log(base));
}

void fill_normal(std::span<double> values, Random& random) {
  // Marsaglia's polar method, both values of a pair in use.
  for (std::size_t i = 0; i < values.size();) {
    const double x = 2 * random.unit() - 1;
    const double y = 2 * random.unit() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * portable_log(square) / square);
    values[i++] = x * factor;
    if (i < values.size()) values[i++] = y * factor;
  }
}

}  // namespace dissensus::search
