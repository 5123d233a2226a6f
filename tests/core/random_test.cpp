#include "dissensus/random.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace dissensus {
namespace {

// Pins the streams: a change here changes every recorded run.
TEST(Random, GivesTheSameValuesForever) {
  Random random(1, "node", 3);
  EXPECT_EQ(random.next(), Random(1, "node", 3).next());
  EXPECT_EQ(derive_seed(1, "node", 3), 0x28da8d3493483fffULL)
      << std::hex << derive_seed(1, "node", 3);
  Random fixed(42);
  EXPECT_EQ(fixed.next(), 0xd0764d4f4476689fULL) << std::hex << Random(42).next();
}

// Another name, index or seed gives another stream.
TEST(Random, StreamsDiffer) {
  const std::set<std::uint64_t> seeds{derive_seed(1, "a"), derive_seed(1, "b"), derive_seed(2, "a"),
                                      derive_seed(1, "a", 1), derive_seed(1, "")};
  EXPECT_EQ(seeds.size(), 5u);
}

// below() is uniform: chi-square over 10 cells, 100,000 draws; 99.9 % quantile of 9 degrees: 27.9.
TEST(Random, BelowIsUniform) {
  Random random(7);
  std::array<int, 10> cells{};
  for (int i = 0; i < 100'000; ++i) ++cells[random.below(10)];
  double chi = 0;
  for (const int count : cells) chi += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi, 27.9);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BetweenCoversBothEndsAndTheWholeRange) {
  Random random(8);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(random.between(5, 5), 5);
  random.between(INT64_MIN, INT64_MAX);
}

// The libm-free logarithm agrees with the library's.
TEST(Random, PortableLogarithmIsAccurate) {
  Random random(9);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(random.unit() + 1e-18, static_cast<int>(random.between(-60, 60)));
    ASSERT_NEAR(portable_log(x), std::log(x), 1e-12 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  EXPECT_NEAR(portable_log(5e-320), std::log(5e-320), 1e-9);
}

// Moments of the normal and exponential draws.
TEST(Random, NormalAndExponentialHaveTheRightMoments) {
  Random random(10);
  double normal_sum = 0;
  double normal_squares = 0;
  double exponential_sum = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    normal_sum += x;
    normal_squares += x * x;
    exponential_sum += random.exponential();
  }
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.01);
  EXPECT_NEAR(normal_squares / kDraws, 1, 0.02);
  EXPECT_NEAR(exponential_sum / kDraws, 1, 0.02);
}

}  // namespace
}  // namespace dissensus
