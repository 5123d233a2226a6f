#include "search/operators.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "problems.h"
#include "search/genotype.h"
#include "search/portable_math.h"

namespace dissensus::search {
namespace {

// ---- densities, by chi-square

/// The statistic of counts in cells of equal probability: a sample's value of the cumulative
/// distribution function is uniform. 40 cells; the 0.999 quantile with 39 degrees of freedom.
constexpr std::size_t kCells = 40;
constexpr double kLimit = 72.05;

template <typename Draw>
double chi_square_of(const Draw& cumulative_value, std::size_t samples = 100'000) {
  std::vector<double> counts(kCells, 0);
  for (std::size_t i = 0; i < samples; ++i) {
    const auto cell = static_cast<std::size_t>(cumulative_value() * kCells);
    counts[std::min(cell, kCells - 1)] += 1;
  }
  const double expected = static_cast<double>(samples) / kCells;
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

double normal_cumulative(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

TEST(Operators, SbxFollowsItsDensityAndKeepsTheMean) {
  for (const double eta : {2.0, 3.0, 5.0}) {
    const SimulatedBinaryCrossover sbx{eta, 1};
    Random random(11);
    const double statistic = chi_square_of([&] {
      std::vector<double> first{10};
      std::vector<double> second{20};
      sbx(first, second, random);
      EXPECT_NEAR(first[0] + second[0], 30, 1e-9);
      // The children are beta times as far apart as the parents; integral of the thesis's density.
      const double beta = (second[0] - first[0]) / 10;
      return beta <= 1 ? 0.5 * std::pow(beta, eta + 1) : 1 - 0.5 / std::pow(beta, eta + 1);
    });
    EXPECT_LT(statistic, kLimit) << "eta " << eta;
  }
}

TEST(Operators, SbxExchangesWhatItRecombinesOnRequest) {
  const SimulatedBinaryCrossover sbx{.eta = 3, .gene_probability = 1, .exchange_probability = 0.5};
  Random random(10);
  std::vector<double> first(100'000, 0);
  std::vector<double> second(100'000, 1);
  sbx(first, second, random);
  std::size_t exchanged = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(first[i] + second[i], 1, 1e-9);
    exchanged += first[i] > second[i] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(exchanged), 50'000, 700);
}

TEST(Operators, OnePointCrossoverExchangesWhatFollowsTheCut) {
  Random random(13);
  std::vector<std::size_t> cuts(8, 0);
  for (int i = 0; i < 7000; ++i) {
    std::vector<double> first(8, 0);
    std::vector<double> second(8, 1);
    OnePointCrossover{}(first, second, random);
    const auto cut = static_cast<std::size_t>(std::count(first.begin(), first.end(), 0.0));
    for (std::size_t k = 0; k < 8; ++k) {
      ASSERT_EQ(first[k], k < cut ? 0 : 1);
      ASSERT_EQ(second[k], k < cut ? 1 : 0);
    }
    ASSERT_LT(cut, 8u);
    ++cuts[cut];
  }
  EXPECT_EQ(cuts[0], 0u);
  for (std::size_t cut = 1; cut < 8; ++cut) EXPECT_NEAR(static_cast<double>(cuts[cut]), 1000, 150);
}

TEST(Operators, SbxRecombinesHalfOfTheGenes) {
  const SimulatedBinaryCrossover sbx;
  Random random(12);
  std::vector<double> first(100'000, 0);
  std::vector<double> second(100'000, 1);
  sbx(first, second, random);
  const auto kept = std::count(first.begin(), first.end(), 0.0);
  EXPECT_NEAR(static_cast<double>(kept), 50'000, 700);
}

TEST(Operators, BlendIsUniformBetweenAndBeyondTheParents) {
  const BlendCrossover blend;
  Random random(13);
  const auto position = [](double gene) { return (gene - 3) / 24; };  // 10..20, 7 beyond each
  const double statistic = chi_square_of([&] {
    std::vector<double> first{20};
    std::vector<double> second{10};
    blend(first, second, random);
    EXPECT_GE(second[0], 3);
    EXPECT_LE(second[0], 27);
    return position(first[0]);
  });
  EXPECT_LT(statistic, kLimit);
}

TEST(Operators, GaussianFollowsItsDensity) {
  Random random(14);
  const GeneBounds bounds{0, 4000};
  const GaussianMutation share;
  EXPECT_LT(
      chi_square_of([&] { return normal_cumulative((share(2000, bounds, random) - 2000) / 40); }),
      kLimit);
  const GaussianMutation fixed{.share = 0.01, .sigma = 7};
  EXPECT_LT(
      chi_square_of([&] { return normal_cumulative((fixed(2000, bounds, random) - 2000) / 7); }),
      kLimit);
}

TEST(Operators, PolynomialFollowsItsDensityAndStaysInBounds) {
  Random random(15);
  const PolynomialMutation mutation;
  const GeneBounds bounds{0, 10};
  const double gene = 2.5;
  const double statistic = chi_square_of([&] {
    const double mutated = mutation(gene, bounds, random);
    EXPECT_GE(mutated, 0);
    EXPECT_LE(mutated, 10);
    // Deb and Deb 2014: half of the mass on each side, distances as shares of the room there is.
    if (mutated <= gene) return 0.5 * std::pow(1 - (gene - mutated) / 2.5, 21.0);
    return 1 - 0.5 * std::pow(1 - (mutated - gene) / 7.5, 21.0);
  });
  EXPECT_LT(statistic, kLimit);
}

TEST(Operators, UniformMutationCoversTheBounds) {
  Random random(16);
  const UniformMutation mutation;
  EXPECT_LT(chi_square_of([&] { return (mutation(9, {2, 12}, random) - 2) / 10; }), kLimit);
}

TEST(Operators, ManyNormalValuesAreNormal) {
  Random random(17);
  std::vector<double> values(1001);  // odd: the second of a pair is left over
  std::size_t next = values.size();
  EXPECT_LT(chi_square_of([&] {
              if (next == values.size()) {
                fill_normal(values, random);
                next = 0;
              }
              return normal_cumulative(values[next++]);
            }),
            kLimit);
}

// ---- rates and bounds

TEST(Operators, OneGeneInNIsMutatedOnAverage) {
  const SearchSpace space = delay_space(260);
  Random random(18);
  std::size_t changed = 0;
  constexpr std::size_t kTrials = 5000;
  for (std::size_t i = 0; i < kTrials; ++i) {
    std::vector<double> genes(260, 2000);
    mutate(genes, space, GaussianMutation{.share = 1}, 1.0 / 260, random);
    changed += static_cast<std::size_t>(
        std::count_if(genes.begin(), genes.end(), [](double gene) { return gene != 2000; }));
  }
  EXPECT_NEAR(static_cast<double>(changed), kTrials, 4 * std::sqrt(kTrials));
}

TEST(Operators, RepairRoundsAndClamps) {
  const SearchSpace space = delay_space(4, 100);
  std::vector<double> genes{-3, 12.5, 100.4, 1e9};
  repair(genes, space);
  EXPECT_EQ(genes, (std::vector<double>{0, 13, 100, 100}));
}

// ---- permutations

bool is_permutation_of_ranks(std::vector<double> genes) {
  std::sort(genes.begin(), genes.end());
  for (std::size_t i = 0; i < genes.size(); ++i) {
    if (genes[i] != static_cast<double>(i + 1)) return false;
  }
  return true;
}

TEST(Operators, PmxInheritsAsInFigure35OfTheThesis) {
  // Cutting points before gene 1 and before gene 3. c1 keeps 4, 3 of p1 and takes the rest from p2;
  // its second 4 becomes 1, which p2 has where p1 has the 4.
  std::vector<double> first{1, 4, 3, 2};
  std::vector<double> second{2, 1, 3, 4};
  PartiallyMappedCrossover::cross(first, second, 1, 3);
  EXPECT_EQ(first, (std::vector<double>{2, 4, 3, 1}));
  EXPECT_EQ(second, (std::vector<double>{4, 1, 3, 2}));
}

TEST(Operators, PmxFollowsChainsOfTheMapping) {
  // Goldberg and Lingle's classic example (positions 3 to 6 of 9 are kept).
  std::vector<double> first{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> second{9, 3, 7, 8, 2, 6, 5, 1, 4};
  PartiallyMappedCrossover::cross(first, second, 3, 7);
  EXPECT_EQ(first, (std::vector<double>{9, 3, 2, 4, 5, 6, 7, 1, 8}));
}

TEST(Operators, PmxGivesPermutationsThatKeepTheirMiddle) {
  const SearchSpace space = priority_space(23);
  Random random(19);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<double> parent_1 = random_genotype(space, random).genes;
    const std::vector<double> parent_2 = random_genotype(space, random).genes;
    std::vector<double> first = parent_1;
    std::vector<double> second = parent_2;
    const std::size_t begin = random.below(23);
    const std::size_t end = begin + 1 + random.below(23 - begin);
    PartiallyMappedCrossover::cross(first, second, begin, end);
    ASSERT_TRUE(is_permutation_of_ranks(first));
    ASSERT_TRUE(is_permutation_of_ranks(second));
    for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(first[i], parent_1[i]);
    // Outside, a gene comes from the other parent unless its value is in the middle already.
    for (std::size_t i = 0; i < 23; ++i) {
      if (i >= begin && i < end) continue;
      const auto middle = parent_1.begin();
      const bool taken = std::find(middle + static_cast<std::ptrdiff_t>(begin),
                                   middle + static_cast<std::ptrdiff_t>(end),
                                   parent_2[i]) != middle + static_cast<std::ptrdiff_t>(end);
      if (!taken) {
        ASSERT_EQ(first[i], parent_2[i]);
      }
    }
  }
}

TEST(Operators, DrawnPmxCutsAnywhere) {
  // Over many draws every gene is sometimes kept and sometimes replaced.
  Random random(20);
  std::vector<int> kept(8, 0);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> first{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<double> second{5, 6, 7, 8, 1, 2, 3, 4};
    PartiallyMappedCrossover{}(first, second, random);
    ASSERT_TRUE(is_permutation_of_ranks(first));
    ASSERT_TRUE(is_permutation_of_ranks(second));
    for (std::size_t i = 0; i < 8; ++i) kept[i] += first[i] == static_cast<double>(i + 1) ? 1 : 0;
  }
  for (const int count : kept) {
    EXPECT_GT(count, 100);
    EXPECT_LT(count, 900);
  }
}

TEST(Operators, SwapExchangesTwoGenesOnce) {
  const SearchSpace space = priority_space(260);
  Random random(21);
  std::vector<double> identity(260);
  std::iota(identity.begin(), identity.end(), 1.0);
  std::size_t moved = 0;
  constexpr std::size_t kTrials = 4000;
  for (std::size_t i = 0; i < kTrials; ++i) {
    std::vector<double> genes = identity;
    mutate(genes, space, SwapMutation{}, 1.0 / 260, random);
    ASSERT_TRUE(is_permutation_of_ranks(genes));
    for (std::size_t k = 0; k < 260; ++k) moved += genes[k] != identity[k] ? 1 : 0;
  }
  // One swap, two genes, on average.
  EXPECT_NEAR(static_cast<double>(moved), 2.0 * kTrials, 8 * std::sqrt(kTrials));
}

// ---- fault plans

std::vector<faults::Fault> plan_of(std::initializer_list<std::uint64_t> rounds) {
  std::vector<faults::Fault> plan;
  for (const std::uint64_t round : rounds) {
    plan.emplace_back(faults::SilenceFault{0, {1}, round, {}});
  }
  return plan;
}
std::vector<std::uint64_t> rounds_of(const std::vector<faults::Fault>& plan) {
  std::vector<std::uint64_t> rounds;
  for (const faults::Fault& fault : plan) {
    rounds.push_back(*fault.as<faults::SilenceFault>()->round);
  }
  return rounds;
}

TEST(Operators, PlanCrossoverDealsOutEveryFaultOnce) {
  Random random(22);
  for (const PlanCrossover crossover : {PlanCrossover::one_point, PlanCrossover::uniform}) {
    for (int trial = 0; trial < 200; ++trial) {
      auto first = plan_of({1, 2, 3});
      auto second = plan_of({4, 5});
      cross_plans(first, second, crossover, 10, random);
      std::vector<std::uint64_t> all = rounds_of(first);
      for (const std::uint64_t round : rounds_of(second)) all.push_back(round);
      std::sort(all.begin(), all.end());
      ASSERT_EQ(all, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
    }
  }
}

TEST(Operators, PlanCrossoverKeepsTheLimit) {
  Random random(23);
  for (int trial = 0; trial < 200; ++trial) {
    auto first = plan_of({1, 2, 3});
    auto second = plan_of({4, 5, 6});
    cross_plans(first, second, PlanCrossover::one_point, 3, random);
    ASSERT_LE(first.size(), 3U);
    ASSERT_LE(second.size(), 3U);
  }
}

TEST(Operators, PlanMutationAddsRemovesAndVaries) {
  SearchSpace space = delay_space(2);
  space.fault_strategy = std::make_shared<SilenceStrategy>();
  space.faults_max = 3;
  Random random(24);
  int added = 0;
  int removed = 0;
  int varied = 0;
  for (int trial = 0; trial < 600; ++trial) {
    auto plan = plan_of({20, 40});
    mutate_plan(plan, space, random);
    added += plan.size() == 3 ? 1 : 0;
    removed += plan.size() == 1 ? 1 : 0;
    varied += plan.size() == 2 ? 1 : 0;
    if (plan.size() == 2) {
      const auto rounds = rounds_of(plan);
      EXPECT_EQ(rounds[0] + rounds[1], 61U);
    }
  }
  for (const int count : {added, removed, varied}) EXPECT_NEAR(count, 200, 50);

  std::vector<faults::Fault> empty;
  mutate_plan(empty, space, random);
  EXPECT_EQ(empty.size(), 1U) << "nothing to remove or vary";
  auto full = plan_of({1, 2, 3});
  for (int trial = 0; trial < 100; ++trial) {
    mutate_plan(full, space, random);
    ASSERT_LE(full.size(), 3U);
  }
}

// ---- portable functions

TEST(PortableMath, ExponentialAndPowerAreAsExactAsPromised) {
  Random random(25);
  for (int i = 0; i < 100'000; ++i) {
    const double x = 1400 * random.unit() - 700;
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-15 * (2 + std::fabs(x))) << x;
    const double base = 100 * random.unit();
    const double exponent = 40 * random.unit() - 20;
    EXPECT_NEAR(portable_pow(base, exponent) / std::pow(base, exponent), 1,
                1e-12 * (1 + std::fabs(exponent)))
        << base << "^" << exponent;
  }
}

TEST(PortableMath, EndsOfTheRange) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e9), 0);
  EXPECT_TRUE(std::isfinite(portable_exp(1e9)));
  EXPECT_EQ(portable_pow(0, 3), 0);
  EXPECT_EQ(portable_pow(0, 0), 1);
  EXPECT_EQ(portable_pow(5, 0), 1);
}

}  // namespace
}  // namespace dissensus::search
