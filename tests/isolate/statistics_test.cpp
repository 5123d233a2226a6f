// The formulas of the paper and the intervals, against values worked out by hand or published.
#include "isolate/statistics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace dissensus::isolate {
namespace {

// Table 3's first row: 101 of 145 failing and 6 of 1055 successful runs.
TEST(Statistics, IncreaseAndImportanceOfTheFirstPredicateOfThePaper) {
  const Counts counts{101, 6, 145, 1055};
  EXPECT_DOUBLE_EQ(failure(counts), 101.0 / 107);
  EXPECT_DOUBLE_EQ(context(counts), 145.0 / 1200);
  const double gain = 101.0 / 107 - 145.0 / 1200;
  EXPECT_DOUBLE_EQ(increase(counts), gain);
  EXPECT_NEAR(importance(gain, 101, 145), 2 / (1 / gain + std::log(145.0) / std::log(101.0)),
              1e-12);
}

TEST(Statistics, ImportanceIsZeroWhereTheLogarithmsSayNothing) {
  EXPECT_EQ(importance(0.5, 1, 10), 0);
  EXPECT_EQ(importance(0.5, 0, 10), 0);
  EXPECT_EQ(importance(0.5, 1, 1), 0);
  EXPECT_EQ(importance(0, 5, 10), 0);
}

TEST(Statistics, NothingObservedIsNoEvidence) {
  EXPECT_EQ(failure({}), 0);
  EXPECT_EQ(context({}), 0);
  EXPECT_EQ(increase({}), 0);
}

// Newcombe 1998 (Statistics in Medicine 17, 857-872), Table I: 81 of 263.
TEST(Statistics, WilsonsIntervalEqualsPublishedValues) {
  const Interval interval = wilson_interval(81, 263, kZ95);
  EXPECT_NEAR(interval.low, 0.2553, 5e-5);
  EXPECT_NEAR(interval.high, 0.3662, 5e-5);
  const Interval none = wilson_interval(0, 20, kZ95);
  EXPECT_NEAR(none.low, 0, 1e-12);
  EXPECT_NEAR(none.high, 0.1611, 5e-5);
}

// Newcombe 1998 (Statistics in Medicine 17, 873-890), Table II, method 10: 56/70 - 48/80.
TEST(Statistics, DifferenceOfProportionsEqualsPublishedValues) {
  const Interval interval = increase_interval({56, 14, 48, 32}, kZ95);
  EXPECT_NEAR(interval.low, 0.0524, 5e-5);
  EXPECT_NEAR(interval.high, 0.3339, 5e-5);
}

// All 5 failing runs, and 96 of 1055 successful ones: (101/1060)^5 by the bound.
TEST(Statistics, ChanceBoundOfAPredicateThatHoldsInAllFailingRuns) {
  EXPECT_NEAR(log_chance({5, 96, 5, 1055}), 5 * std::log(101.0 / 1060), 1e-9);
  EXPECT_EQ(log_chance({1, 900, 145, 1055}), 0);
}

TEST(Statistics, ScoresOfTheSecondPredicateOfThePaper) {
  const Scores incompatible{21, 0, 30};
  EXPECT_NEAR(incompatible.precision(), 1, 1e-12);
  EXPECT_NEAR(incompatible.recall(), 0.412, 5e-4);
  EXPECT_NEAR(incompatible.f1(), 0.583, 5e-4);
  EXPECT_NEAR(incompatible.f_half(), 0.778, 5e-4);
  const Scores none{0, 21, 2};
  EXPECT_EQ(none.f1(), 0);
  EXPECT_EQ(none.f_half(), 0);
}

}  // namespace
}  // namespace dissensus::isolate
