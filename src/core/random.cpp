#include "dissensus/random.h"

#include <bit>

namespace dissensus {

namespace {
// SplitMix64, the generator that the authors of xoshiro recommend for filling its state.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}
}  // namespace

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name, std::uint64_t index) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a: names are short
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  std::uint64_t state = seed;
  state = split_mix(state) ^ hash;
  state = split_mix(state) ^ index;
  return split_mix(state);
}

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Random::below(std::uint64_t bound) {
  if (bound == 0) return 0;
  // Lemire's method: one multiplication, rejection only for the biased few.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Wide>(next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  if (low >= high) return low;
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span == max()) return static_cast<std::int64_t>(next());
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + below(span + 1));
}

double portable_log(double x) {
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); ln x = e ln 2 + 2 artanh((m-1)/(m+1)).
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1022;
  if (((bits >> 52) & 0x7FF) == 0) {  // subnormal
    bits = std::bit_cast<std::uint64_t>(x * 0x1.0p54);
    exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1022 - 54;
  }
  double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) | 0x3FE0000000000000ULL);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return exponent * 0.69314718055994530942 + 2 * s * sum;
}

double Random::exponential() {
  return -portable_log(1.0 - unit());
}

double Random::normal() {
  // Marsaglia's polar method; the second value is thrown away so that the state stays four words.
  for (;;) {
    const double x = 2 * unit() - 1;
    const double y = 2 * unit() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double ratio = -2 * portable_log(square) / square;
    // IEEE 754 demands a correctly rounded square root, so this is portable.
    return x * __builtin_sqrt(ratio);
  }
}

}  // namespace dissensus
