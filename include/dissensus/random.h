// Randomness of a run: named streams derived from one seed.
//
// Every draw is made of integer arithmetic and exactly rounded floating-point operations (no libm),
// so that a stream gives the same values on every machine, in Debug and in Release.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dissensus {

/// Derives the seed of a named stream. The same (seed, name, index) always gives the same result,
/// and asking for another stream never disturbs an existing one.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view name, std::uint64_t index = 0);

/// A generator (xoshiro256++). Cheap to copy; a copy continues with the same values.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0);
  Random(std::uint64_t seed, std::string_view name, std::uint64_t index = 0)
      : Random(derive_seed(seed, name, index)) {}

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias; bound 0 gives 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high);
  /// Uniform in [0, 1), 53 bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  /// Standard normal and unit exponential.
  double normal();
  double exponential();

  // UniformRandomBitGenerator, for std::shuffle-like needs of callers who accept its order.
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~std::uint64_t{0}; }
  result_type operator()() { return next(); }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
  }
  std::array<std::uint64_t, 4> state_;
};

/// Natural logarithm from exactly rounded operations only; |error| < 1e-12 for positive finite x.
double portable_log(double x);

}  // namespace dissensus
