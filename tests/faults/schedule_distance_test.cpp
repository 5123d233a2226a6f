#include "faults/schedule_distance.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/random.h"

namespace dissensus::faults {
namespace {

using Vector = std::vector<std::uint32_t>;

Vector random_permutation(std::size_t length, Random& random) {
  Vector permutation(length);
  std::iota(permutation.begin(), permutation.end(), 1u);
  for (std::size_t i = length; i > 1; --i) {
    std::swap(permutation[i - 1], permutation[random.below(i)]);
  }
  return permutation;
}

std::uint64_t discordant_pairs(const Vector& first, const Vector& second) {
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      pairs += (first[i] < first[j] && second[i] > second[j]) ||
               (first[i] > first[j] && second[i] < second[j]);
    }
  }
  return pairs;
}

TEST(EuclideanDistance, OfDelays) {
  EXPECT_DOUBLE_EQ(euclidean_distance(Vector{0, 4000, 7}, Vector{3, 4004, 7}), 5);
  EXPECT_DOUBLE_EQ(euclidean_distance(Vector{}, Vector{}), 0);
  EXPECT_DOUBLE_EQ(euclidean_distance(Vector(16, 0), Vector(16, 4000)),
                   euclidean_distance_max(16, 4000));
  EXPECT_DOUBLE_EQ(euclidean_distance_max(16, 4000), 16000);
}

// The O(n log n) count against the definition, with and without equal ranks.
TEST(KendallTau, CountsPairsInOppositeOrder) {
  Random random(3);
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t length = random.below(40);
    const Vector first = random_permutation(length, random);
    const Vector second = random_permutation(length, random);
    EXPECT_EQ(kendall_tau_distance(first, second), discordant_pairs(first, second));
    EXPECT_EQ(kendall_tau_distance(first, second), kendall_tau_distance(second, first));
    Vector tied = first;
    for (std::uint32_t& rank : tied) rank /= 3;
    EXPECT_EQ(kendall_tau_distance(tied, second), discordant_pairs(tied, second));
    EXPECT_EQ(kendall_tau_distance(second, tied), discordant_pairs(second, tied));
  }
}

TEST(KendallTau, FromNothingToReversal) {
  Vector up(260);
  std::iota(up.begin(), up.end(), 1u);
  Vector down(up.rbegin(), up.rend());
  EXPECT_EQ(kendall_tau_distance(up, up), 0u);
  EXPECT_EQ(kendall_tau_distance(up, down), kendall_tau_distance_max(260));
  EXPECT_EQ(kendall_tau_distance_max(260), 260u * 259 / 2);
  EXPECT_EQ(kendall_tau_distance_max(0), 0u);
  Vector swapped = up;
  std::swap(swapped[100], swapped[101]);
  EXPECT_EQ(kendall_tau_distance(up, swapped), 1u);
}

}  // namespace
}  // namespace dissensus::faults
