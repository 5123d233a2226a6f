#include "fidelity/permutation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "dissensus/random.h"

namespace dissensus::fidelity {
namespace {

std::vector<SidedRun> runs_of(std::size_t schedules, std::size_t first, std::size_t second) {
  std::vector<SidedRun> runs;
  for (std::size_t schedule = 0; schedule < schedules; ++schedule) {
    for (std::size_t i = 0; i < first; ++i) runs.push_back({schedule, true});
    for (std::size_t i = 0; i < second; ++i) runs.push_back({schedule, false});
  }
  return runs;
}

/// All ways to choose 2 of 5 runs in each of two schedules, one after another.
double exact_share(const std::vector<double>& values, double observed) {
  std::size_t as_large = 0;
  std::size_t all = 0;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    const auto chosen = [mask](std::size_t run) { return (mask >> run & 1u) != 0; };
    std::size_t in_first = 0;
    std::size_t in_second = 0;
    double sum = 0;
    for (std::size_t run = 0; run < 10; ++run) {
      if (!chosen(run)) continue;
      ++(run < 5 ? in_first : in_second);
      sum += values[run];
    }
    if (in_first != 2 || in_second != 2) continue;
    ++all;
    as_large += sum >= observed ? 1 : 0;
  }
  return static_cast<double>(as_large) / static_cast<double>(all);
}

// Drawn arrangements give what counting all of them gives.
TEST(SidePermutations, AgreesWithCountingAllArrangements) {
  const std::vector<double> values{5, 9, 1, 2, 8, 40, 44, 41, 49, 42};
  const SidePermutations permutations(runs_of(2, 2, 3), {20'000, 3});
  const double p = permutations.p_value([&values](SidePermutations::Sides sides) {
    double sum = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) sum += sides[i] != 0 ? values[i] : 0;
    return sum;
  });
  EXPECT_NEAR(p, exact_share(values, 5 + 9 + 40 + 44), 0.012);
  EXPECT_DOUBLE_EQ(permutations.smallest_p_value(), 0.01);
}

// One run of the first side, larger than all 20 others: as extreme as 2 of 21 arrangements.
TEST(SidePermutations, RanksAreTwoSided) {
  const SidePermutations permutations(runs_of(1, 1, 20), {20'000, 1});
  std::vector<double> values(21);
  std::iota(values.rbegin(), values.rend(), 0);
  EXPECT_NEAR(permutations.rank_p_value(values), 2.0 / 21, 0.01);
  EXPECT_NEAR(permutations.smallest_p_value(), 1.0 / 21, 1e-12);
}

// Schedules may differ as much as they like: only differences within them count.
TEST(SidePermutations, SeesThroughTheSchedules) {
  const SidePermutations permutations(runs_of(4, 2, 10));
  std::vector<double> shifted;
  std::vector<double> alike;
  Random random(5, "test");
  for (const SidedRun& run : runs_of(4, 2, 10)) {
    const double base = 1000.0 * static_cast<double>(run.schedule);
    alike.push_back(base + random.unit());
    shifted.push_back(base + random.unit() + (run.is_first ? 1 : 0));
  }
  EXPECT_GT(permutations.rank_p_value(alike), 0.05);
  EXPECT_LT(permutations.rank_p_value(shifted), 0.001);
}

// Where nothing differs, small p-values are as rare as they say, although the values of a run hang
// together; a test that takes them for independent ones is wrong in half of such cases.
TEST(SidePermutations, KeepsItsLevelWithClusteredValues) {
  constexpr int kTrials = 200;
  int below = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Random random(static_cast<std::uint64_t>(trial), "clustered");
    const std::vector<SidedRun> runs = runs_of(3, 2, 6);
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double of_run = random.normal();
      std::vector<double>& own = values.emplace_back();
      for (int k = 0; k < 20; ++k) own.push_back(of_run + 0.2 * random.normal());
    }
    const double p = SidePermutations(runs, {199, 1}).distribution_p_value(values);
    below += p <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(below, 20);  // 10 expected
  EXPECT_GE(below, 1);
}

TEST(SidePermutations, SeesOtherDistributions) {
  const std::vector<SidedRun> runs = runs_of(3, 3, 6);
  std::vector<std::vector<double>> values;
  for (const SidedRun& run : runs) {
    values.push_back(run.is_first ? std::vector<double>{0, 10} : std::vector<double>{4, 5, 6});
  }
  EXPECT_LT(SidePermutations(runs).distribution_p_value(values), 0.01);
}

TEST(SidePermutations, NeedsBothSides) {
  EXPECT_TRUE(std::isnan(
      SidePermutations(runs_of(2, 0, 3)).rank_p_value(std::vector<double>{1, 2, 3, 4, 5, 6})));
  std::vector<std::vector<double>> values(4);
  values[2] = values[3] = {1, 2};  // the first side has runs without values
  EXPECT_TRUE(std::isnan(SidePermutations(runs_of(1, 2, 2)).distribution_p_value(values)));
}

}  // namespace
}  // namespace dissensus::fidelity
