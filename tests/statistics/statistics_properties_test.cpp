// What must hold of the statistics whatever the data: symmetry, limits, and agreement with brute
// force where everything can be enumerated.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/random.h"

#include "statistics/bootstrap.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"
#include "statistics/rank_sum.h"
#include "statistics/root.h"
#include "statistics/shapiro_wilk.h"
#include "statistics/survival.h"

namespace dissensus::statistics {
namespace {

using Sample = std::vector<double>;

Sample different_values(Random& random, std::size_t size) {
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) sample.push_back(random.unit());
  return sample;
}

Sample few_values(Random& random, std::size_t size) {
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) sample.push_back(static_cast<double>(random.below(4)));
  return sample;
}

double choose(std::uint64_t n, std::uint64_t k) {
  double result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return k > n ? 0 : result;
}

/// Sums over all tables with the same margins, with binomial coefficients.
double enumerated_fisher(const Contingency& table, Alternative alternative) {
  const std::uint64_t first = table.first_yes + table.first_no;
  const std::uint64_t second = table.second_yes + table.second_no;
  const std::uint64_t yes = table.first_yes + table.second_yes;
  const auto ways = [&](std::uint64_t x) {
    return x > yes ? 0 : choose(first, x) * choose(second, yes - x);
  };
  double sum = 0;
  for (std::uint64_t x = 0; x <= std::min(first, yes); ++x) {
    const bool counts = alternative == Alternative::greater ? x >= table.first_yes
                        : alternative == Alternative::less
                            ? x <= table.first_yes
                            : ways(x) <= ways(table.first_yes) * (1 + 1e-7);
    if (counts) sum += ways(x);
  }
  return sum / choose(first + second, yes);
}

TEST(FisherProperties, EverySmallTableAsEnumerated) {
  for (std::uint64_t a = 0; a <= 5; ++a) {
    for (std::uint64_t b = 0; b <= 5; ++b) {
      for (std::uint64_t c = 0; c <= 5; ++c) {
        for (std::uint64_t d = 0; d <= 5; ++d) {
          for (const auto side :
               {Alternative::two_sided, Alternative::greater, Alternative::less}) {
            const Contingency table{a, b, c, d};
            ASSERT_NEAR(fisher_exact(table, {side, 0.95}).p_value, enumerated_fisher(table, side),
                        1e-12)
                << a << " " << b << " " << c << " " << d << " " << to_string(side);
          }
        }
      }
    }
  }
}

TEST(FisherProperties, ExchangingTheConfigurationsInvertsTheOdds) {
  Random random(1, "fisher");
  for (int i = 0; i < 50; ++i) {
    const Contingency table{1 + random.below(40), 1 + random.below(40), 1 + random.below(40),
                            1 + random.below(40)};
    const FisherResult one = fisher_exact(table);
    const FisherResult other =
        fisher_exact({table.second_yes, table.second_no, table.first_yes, table.first_no});
    EXPECT_NEAR(one.p_value, other.p_value, 1e-12);
    EXPECT_GE(one.p_value, 0);
    EXPECT_LE(one.p_value, 1);
    EXPECT_NEAR(one.conditional_odds_ratio * other.conditional_odds_ratio, 1, 1e-9);
    EXPECT_NEAR(one.interval.low * other.interval.high, 1, 1e-9);
    EXPECT_LE(one.interval.low, one.conditional_odds_ratio);
    EXPECT_GE(one.interval.high, one.conditional_odds_ratio);
  }
}

TEST(FisherProperties, HugeCountsTakeNoLongerThanTheirSpread) {
  const FisherResult result = fisher_exact({1'000'000, 1'000'000, 1'001'000, 1'000'000});
  // At this size the test is the normal one: z = log odds / sqrt(sum of reciprocals).
  EXPECT_NEAR(std::log(result.conditional_odds_ratio), -std::log(1.001), 1e-6);
  EXPECT_NEAR(result.p_value, std::erfc(std::log(1.001) / std::sqrt(4e-6) / std::sqrt(2.0)), 1e-3);
}

TEST(Root, IsFoundToTheLastDigits) {
  const auto cubic = [](double x) { return x * x * x - 2; };
  EXPECT_NEAR(brent_root(cubic, 0, 2, 0), std::cbrt(2.0), 1e-15);
  EXPECT_TRUE(std::isnan(brent_root(cubic, 2, 3, 0)));
  EXPECT_EQ(brent_root([](double x) { return x; }, 0, 1, 0), 0);
}

/// Deals the pooled values to the two samples in all ways.
double enumerated_rank_sum(const Sample& first, const Sample& second, Alternative alternative) {
  Sample pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  const double observed = wilcoxon_rank_sum(first, second).w;
  double all = 0;
  double at_least = 0;
  double at_most = 0;
  for (std::uint32_t mask = 0; mask < 1u << pooled.size(); ++mask) {
    Sample a;
    Sample b;
    for (std::size_t i = 0; i < pooled.size(); ++i) ((mask >> i & 1) ? a : b).push_back(pooled[i]);
    if (a.size() != first.size()) continue;
    double w = 0;
    for (const double x : a) {
      for (const double y : b) w += x > y ? 1 : 0;
    }
    all += 1;
    at_least += w >= observed ? 1 : 0;
    at_most += w <= observed ? 1 : 0;
  }
  if (alternative == Alternative::greater) return at_least / all;
  if (alternative == Alternative::less) return at_most / all;
  return std::min(1.0, 2 * std::min(at_least, at_most) / all);
}

TEST(RankSumProperties, ExactIsTheShareOfAllDeals) {
  Random random(2, "rank sum");
  for (std::size_t m = 1; m <= 5; ++m) {
    for (std::size_t n = 1; n <= 5; ++n) {
      const Sample first = different_values(random, m);
      const Sample second = different_values(random, n);
      for (const auto side : {Alternative::two_sided, Alternative::greater, Alternative::less}) {
        RankSumOptions options;
        options.alternative = side;
        const RankSumResult result = wilcoxon_rank_sum(first, second, options);
        EXPECT_TRUE(result.exact);
        EXPECT_NEAR(result.p_value, enumerated_rank_sum(first, second, side), 1e-12);
      }
    }
  }
}

TEST(RankSumProperties, ExchangingTheSamplesMirrorsEverything) {
  Random random(3, "rank sum");
  for (int i = 0; i < 40; ++i) {
    const Sample first = i % 2 == 0 ? few_values(random, 12) : different_values(random, 12);
    const Sample second = i % 2 == 0 ? few_values(random, 9) : different_values(random, 9);
    const RankSumResult one = wilcoxon_rank_sum(first, second);
    const RankSumResult other = wilcoxon_rank_sum(second, first);
    EXPECT_NEAR(one.p_value, other.p_value, 1e-12);
    EXPECT_DOUBLE_EQ(one.w + other.w, 12 * 9);
    EXPECT_NEAR(vargha_delaney(first, second) + vargha_delaney(second, first), 1, 1e-12);
    EXPECT_GE(one.p_value, 0);
    EXPECT_LE(one.p_value, 1);
    RankSumOptions greater;
    greater.alternative = Alternative::greater;
    RankSumOptions less;
    less.alternative = Alternative::less;
    EXPECT_NEAR(wilcoxon_rank_sum(first, second, greater).p_value,
                wilcoxon_rank_sum(second, first, less).p_value, 1e-12);
  }
}

TEST(RankSumProperties, OnlyTheOrderOfValuesCounts) {
  Random random(4, "rank sum");
  const Sample first = different_values(random, 15);
  const Sample second = different_values(random, 15);
  Sample shuffled(first.rbegin(), first.rend());
  Sample stretched = second;
  for (double& value : shuffled) value = std::exp(5 * value);
  for (double& value : stretched) value = std::exp(5 * value);
  EXPECT_DOUBLE_EQ(wilcoxon_rank_sum(first, second).p_value,
                   wilcoxon_rank_sum(shuffled, stretched).p_value);
}

TEST(RankSumProperties, WhatCannotBeComparedIsUndefined) {
  const Sample none;
  const Sample fives{5, 5, 5};
  EXPECT_TRUE(std::isnan(wilcoxon_rank_sum(none, fives).p_value));
  EXPECT_TRUE(std::isnan(vargha_delaney(fives, none)));
  EXPECT_TRUE(std::isnan(wilcoxon_rank_sum(fives, fives).p_value));
  EXPECT_FALSE(exact_is_possible(fives, fives));
  EXPECT_TRUE(exact_is_possible(Sample{1}, Sample{2}));
}

TEST(RankSumDeathTest, AnExactTestWithEqualValuesIsABrokenContract) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Sample fives{5, 5};
  RankSumOptions options;
  options.method = RankSumMethod::exact;
  EXPECT_DEATH(wilcoxon_rank_sum(fives, fives, options), "exact");
}

TEST(Magnitude, ThresholdsOfVarghaAndDelaney) {
  EXPECT_EQ(magnitude(0.5), "negligible");
  EXPECT_EQ(magnitude(0.55), "negligible");
  EXPECT_EQ(magnitude(0.57), "small");
  EXPECT_EQ(magnitude(0.43), "small");
  EXPECT_EQ(magnitude(0.65), "medium");
  EXPECT_EQ(magnitude(0.72), "large");
  EXPECT_EQ(magnitude(0), "large");
  EXPECT_EQ(magnitude(std::nan("")), "undefined");
}

TEST(ShapiroWilkProperties, PlaceScaleAndDirectionDoNotMatter) {
  Random random(5, "shapiro");
  for (const std::size_t size : {3u, 4u, 8u, 30u, 200u}) {
    const Sample sample = different_values(random, size);
    Sample moved = sample;
    for (double& value : moved) value = 7 - 3 * value;
    const ShapiroWilkResult one = shapiro_wilk(sample);
    const ShapiroWilkResult other = shapiro_wilk(moved);
    EXPECT_NEAR(one.w, other.w, 1e-12);
    EXPECT_NEAR(one.p_value, other.p_value, 1e-9);
    EXPECT_GT(one.w, 0);
    EXPECT_LE(one.w, 1);
  }
}

TEST(ShapiroWilkProperties, SizesAndEqualValuesOutsideItsDomainAreUndefined) {
  EXPECT_TRUE(std::isnan(shapiro_wilk(Sample{1, 2}).w));
  EXPECT_TRUE(std::isnan(shapiro_wilk(Sample{4, 4, 4, 4}).p_value));
  EXPECT_TRUE(std::isnan(shapiro_wilk(Sample(5001, 1.0)).w));
}

TEST(HolmProperties, KeepsTheOrderAndNeverLowersAValue) {
  Random random(6, "holm");
  const Sample p = different_values(random, 30);
  const Sample adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_GE(adjusted[i], p[i]);
    EXPECT_LE(adjusted[i], 1);
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (p[i] < p[k]) {
        EXPECT_LE(adjusted[i], adjusted[k]);
      }
    }
  }
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(Bootstrap, TheSeedDecides) {
  const Sample sample{1, 2, 4, 8, 16, 32};
  BootstrapOptions options;
  options.resamples = 500;
  const BootstrapResult one = bootstrap(sample, mean, options);
  const BootstrapResult again = bootstrap(sample, mean, options);
  EXPECT_EQ(one.interval.low, again.interval.low);
  EXPECT_EQ(one.interval.high, again.interval.high);
  options.seed = 2;
  EXPECT_NE(bootstrap(sample, mean, options).interval.low, one.interval.low);
}

TEST(Bootstrap, ApproachesTheDistributionOfAllResamples) {
  // Three values: 27 equally probable resamples, whose means have these quantiles.
  const Sample sample{0, 3, 12};
  Sample all;
  for (const double a : sample) {
    for (const double b : sample) {
      for (const double c : sample) all.push_back((a + b + c) / 3);
    }
  }
  BootstrapOptions options;
  options.method = BootstrapMethod::percentile;
  options.confidence = 0.6;
  options.resamples = 20'000;
  const BootstrapResult result = bootstrap(sample, mean, options);
  EXPECT_NEAR(result.interval.low, quantile(all, 0.2), 1e-9);
  EXPECT_NEAR(result.interval.high, quantile(all, 0.8), 1e-9);
  EXPECT_NEAR(result.standard_error, std::sqrt(26.0 / 3), 0.05);
}

TEST(Bootstrap, IntervalsOfTheMeanCoverItAboutAsOftenAsTheySay) {
  // 200 samples of 30 from an exponential distribution of mean 1: 95 % nominal.
  Random random(7, "coverage");
  int covered = 0;
  for (int i = 0; i < 200; ++i) {
    Sample sample;
    for (int k = 0; k < 30; ++k) sample.push_back(random.exponential());
    BootstrapOptions options;
    options.resamples = 400;
    const Interval interval = bootstrap(sample, mean, options).interval;
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 172);
  EXPECT_LE(covered, 199);
}

TEST(Bootstrap, FallsBackToPercentilesWhereBcaIsUndefined) {
  const BootstrapResult equal = bootstrap(Sample{5, 5, 5}, mean, {});
  EXPECT_EQ(equal.method, BootstrapMethod::percentile);
  EXPECT_EQ(equal.interval.low, 5);
  EXPECT_EQ(equal.interval.high, 5);
  EXPECT_EQ(bootstrap(Sample{5}, mean, {}).method, BootstrapMethod::percentile);
}

TEST(SurvivalProperties, WithoutCensoringItIsTheShareOfLongerTimes) {
  Random random(8, "survival");
  std::vector<Observation> observations;
  Sample times;
  for (int i = 0; i < 50; ++i) {
    times.push_back(static_cast<double>(random.below(20)));
    observations.push_back({times.back(), true});
  }
  const SurvivalCurve curve = kaplan_meier(observations);
  for (const SurvivalPoint& point : curve.points) {
    const auto longer =
        std::count_if(times.begin(), times.end(), [&](double time) { return time > point.time; });
    EXPECT_NEAR(point.survival, static_cast<double>(longer) / 50, 1e-12);
  }
  EXPECT_NEAR(restricted_mean(curve, 20).mean, mean(times), 1e-12);
  EXPECT_EQ(survival_at(curve, -1), 1);
  EXPECT_EQ(survival_at(curve, 100), 0);
}

TEST(SurvivalProperties, TheOrderOfObservationsDoesNotMatter) {
  std::vector<Observation> observations{{3, true}, {1, false}, {3, false}, {2, true}, {9, true}};
  const SurvivalCurve one = kaplan_meier(observations);
  std::reverse(observations.begin(), observations.end());
  const SurvivalCurve other = kaplan_meier(observations);
  ASSERT_EQ(one.points.size(), other.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].survival, other.points[i].survival);
  }
  EXPECT_EQ(kaplan_meier({}).points.size(), 0u);
  EXPECT_TRUE(std::isnan(kaplan_meier({}).median));
}

TEST(LogRankProperties, TheOrderOfGroupsDoesNotMatter) {
  Random random(9, "log-rank");
  std::vector<std::vector<Observation>> groups(4);
  for (auto& group : groups) {
    for (int i = 0; i < 12; ++i) {
      group.push_back({static_cast<double>(random.below(30)), random.chance(0.7)});
    }
  }
  const LogRankResult one = log_rank(groups);
  std::reverse(groups.begin(), groups.end());
  const LogRankResult other = log_rank(groups);
  EXPECT_NEAR(one.chi_square, other.chi_square, 1e-9);
  EXPECT_EQ(one.degrees_of_freedom, 3u);
  double difference = 0;
  for (const LogRankGroup& group : one.groups) difference += group.observed - group.expected;
  EXPECT_NEAR(difference, 0, 1e-9);
  EXPECT_GE(one.p_value, 0);
  EXPECT_LE(one.p_value, 1);
}

TEST(LogRankProperties, NothingToCompareIsUndefined) {
  const std::vector<std::vector<Observation>> one_group{{{1, true}, {2, true}}};
  EXPECT_TRUE(std::isnan(log_rank(one_group).p_value));
  const std::vector<std::vector<Observation>> no_events{{{1, false}}, {{2, false}}};
  EXPECT_TRUE(std::isnan(log_rank(no_events).p_value));
  EXPECT_TRUE(std::isnan(log_rank({}).p_value));
}

}  // namespace
}  // namespace dissensus::statistics
