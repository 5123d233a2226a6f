// The statistics agree with R: tests/statistics/vectors/*.R made the numbers,
// scripts/check-r-vectors renews them where R is installed.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "statistics/bootstrap.h"
#include "statistics/fisher.h"
#include "statistics/holm.h"
#include "statistics/rank_sum.h"
#include "statistics/shapiro_wilk.h"
#include "statistics/survival.h"

namespace dissensus::statistics {
namespace {

using nlohmann::json;

/// p-values, statistics and effect sizes; relative, so that it means something at 1e-100 too.
constexpr double kTolerance = 1e-9;
/// Where a root is sought.
constexpr double kRootTolerance = 1e-6;

json vectors(const std::string& name) {
  const std::string path =
      std::string(DISSENSUS_SOURCE_DIR) + "/tests/statistics/vectors/" + name + ".json";
  return json::parse(read_file(path, 16u << 20));
}

double number(const json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value.is_string()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return value == "Infinity" ? infinity : -infinity;
  }
  return value.get<double>();
}

/// Samples are written out or as a recipe; see vectors/common.R.
std::vector<double> sample(const json& value) {
  std::vector<double> result;
  if (value.is_array()) {
    for (const json& item : value) result.push_back(number(item));
    return result;
  }
  if (value.is_number()) return {value.get<double>()};
  const double factor = value["factor"];
  const double modulus = value["modulus"];
  const double shift = value["shift"];
  const int power = value["power"];
  for (int i = 1; i <= value["size"]; ++i) {
    const double base = std::fmod(i * factor, modulus) - shift;
    double product = 1;
    for (int k = 0; k < power; ++k) product *= base;
    result.push_back(product / 64);
  }
  return result;
}

Alternative alternative_of(const json& value) {
  if (value == "greater") return Alternative::greater;
  return value == "less" ? Alternative::less : Alternative::two_sided;
}

testing::AssertionResult agree(double ours, const json& theirs, double tolerance = kTolerance) {
  const double r = number(theirs);
  if (std::isnan(r) && std::isnan(ours)) return testing::AssertionSuccess();
  if (ours == r) return testing::AssertionSuccess();
  // Differences of two numbers near 1 (1 - W, tails near 1) carry their rounding error.
  constexpr double kRounding = 1e-14;
  const double difference = std::abs(ours - r);
  if (difference <= tolerance * std::abs(r)) return testing::AssertionSuccess();
  if (std::abs(r) < 1e-13 ? r == 0 && difference < kRounding : difference < kRounding) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << "ours " << testing::PrintToString(ours) << ", R " << theirs.dump();
}

void expect_agreement(const std::vector<double>& ours, const json& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(agree(ours[i], theirs[i])) << i;
}

TEST(RVectors, Fisher) {
  const json cases = vectors("fisher");
  ASSERT_GT(cases.size(), 250u);
  for (const json& item : cases) {
    SCOPED_TRACE(item.dump());
    const json& t = item["table"];
    const FisherResult result =
        fisher_exact({t[0], t[1], t[2], t[3]},
                     {alternative_of(item["alternative"]), item["confidence"].get<double>()});
    EXPECT_TRUE(agree(result.p_value, item["p"]));
    // What fisher.test prints, its own tolerance included, and what it means to compute.
    EXPECT_TRUE(agree(result.r.odds_ratio, item["r_odds"], kRootTolerance));
    EXPECT_TRUE(agree(result.r.interval.low, item["r_low"], kRootTolerance));
    EXPECT_TRUE(agree(result.r.interval.high, item["r_high"], kRootTolerance));
    EXPECT_TRUE(agree(result.interval.low, item["low"], kRootTolerance));
    EXPECT_TRUE(agree(result.interval.high, item["high"], kRootTolerance));
    const bool one_table_only =
        t[0].get<int>() + t[1].get<int>() == 0 || t[2].get<int>() + t[3].get<int>() == 0 ||
        t[0].get<int>() + t[2].get<int>() == 0 || t[1].get<int>() + t[3].get<int>() == 0;
    if (one_table_only) {
      EXPECT_TRUE(std::isnan(result.conditional_odds_ratio));  // R: 0
    } else {
      EXPECT_TRUE(agree(result.conditional_odds_ratio, item["odds"], kRootTolerance));
    }
  }
}

TEST(RVectors, RankSumAndA12) {
  const json cases = vectors("rank_sum");
  ASSERT_GT(cases.size(), 200u);
  for (const json& item : cases) {
    SCOPED_TRACE(item.dump());
    const std::vector<double> x = sample(item["x"]);
    const std::vector<double> y = sample(item["y"]);
    RankSumOptions options;
    options.alternative = alternative_of(item["alternative"]);
    const std::string method = item["method"];
    options.continuity_correction = method != "uncorrected";
    if (method == "exact") options.method = RankSumMethod::exact;
    if (method == "normal" || method == "uncorrected") options.method = RankSumMethod::normal;
    const RankSumResult result = wilcoxon_rank_sum(x, y, options);
    EXPECT_TRUE(agree(result.w, item["w"]));
    EXPECT_TRUE(agree(result.p_value, item["p"]));
    EXPECT_TRUE(agree(vargha_delaney(x, y), item["a12"]));
  }
}

TEST(RVectors, ShapiroWilk) {
  const json cases = vectors("shapiro_wilk");
  ASSERT_GE(cases.size(), 60u);
  for (const json& item : cases) {
    SCOPED_TRACE(item.dump());
    const ShapiroWilkResult result = shapiro_wilk(sample(item["x"]));
    EXPECT_TRUE(agree(result.w, item["w"]));
    EXPECT_TRUE(agree(result.p_value, item["p"]));
  }
}

TEST(RVectors, Holm) {
  const json cases = vectors("holm");
  ASSERT_GE(cases.size(), 8u);
  for (const json& item : cases) {
    SCOPED_TRACE(item.dump());
    expect_agreement(holm_adjusted(sample(item["p"])), item["holm"]);
  }
}

TEST(RVectors, BootstrapIntervalsFromTheSameReplicates) {
  const json cases = vectors("bootstrap");
  ASSERT_GE(cases.size(), 12u);
  for (const json& item : cases) {
    SCOPED_TRACE(item.dump());
    const std::vector<double> x = sample(item["x"]);
    const Statistic statistic = item["statistic"] == "mean"
                                    ? Statistic(mean)
                                    : [](std::span<const double> s) { return quantile(s, 0.5); };
    std::vector<double> replicates;
    const std::size_t factor = item["factor"];
    for (std::size_t i = 0, next = 1; i < item["resamples"].get<std::size_t>(); ++i) {
      std::vector<double> drawn;
      for (std::size_t k = 0; k < x.size(); ++k, ++next) {
        drawn.push_back(x[next * factor % 10007 % x.size()]);
      }
      replicates.push_back(statistic(drawn));
    }
    const std::vector<double> left_out = leave_one_out(x, statistic);
    BootstrapOptions options;
    options.confidence = item["confidence"];
    const BootstrapResult bca = bootstrap_interval(statistic(x), replicates, left_out, options);
    EXPECT_EQ(bca.method, BootstrapMethod::bca);
    EXPECT_TRUE(agree(bca.estimate, item["estimate"]));
    EXPECT_TRUE(agree(bca.standard_error, item["standard_error"]));
    expect_agreement({bca.interval.low, bca.interval.high}, item["bca"]);
    options.method = BootstrapMethod::percentile;
    const Interval interval = bootstrap_interval(statistic(x), replicates, {}, options).interval;
    expect_agreement({interval.low, interval.high}, item["percentile"]);
  }
}

void check_curve(const json& item) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < item["time"].size(); ++i) {
    observations.push_back({item["time"][i], item["event"][i] == 1});
  }
  SurvivalOptions options;
  options.confidence = item["confidence"];
  if (item["scale"] == "log-log") options.scale = SurvivalScale::log_log;
  if (item["scale"] == "plain") options.scale = SurvivalScale::plain;
  const SurvivalCurve curve = kaplan_meier(observations, options);
  ASSERT_EQ(curve.points.size(), item["at"].size());
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const SurvivalPoint& point = curve.points[i];
    EXPECT_EQ(point.time, item["at"][i].get<double>());
    EXPECT_EQ(point.at_risk, item["at_risk"][i].get<std::size_t>());
    EXPECT_EQ(point.events, item["events"][i].get<std::size_t>());
    EXPECT_EQ(point.censored, item["censored"][i].get<std::size_t>());
    EXPECT_TRUE(agree(point.survival, item["survival"][i]));
    EXPECT_TRUE(agree(point.standard_error, item["standard_error"][i]));
    EXPECT_TRUE(agree(point.interval.low, item["low"][i]));
    EXPECT_TRUE(agree(point.interval.high, item["high"][i]));
  }
  EXPECT_TRUE(agree(curve.median, item["median"]));
  EXPECT_TRUE(agree(curve.median_interval.low, item["median_low"]));
  EXPECT_TRUE(agree(curve.median_interval.high, item["median_high"]));
  const RestrictedMean restricted = restricted_mean(curve, item["until"]);
  EXPECT_TRUE(agree(restricted.mean, item["mean"]));
  EXPECT_TRUE(agree(restricted.standard_error, item["mean_error"]));
}

void check_log_rank(const json& item) {
  std::vector<std::vector<Observation>> groups(item["observed"].size());
  for (std::size_t i = 0; i < item["time"].size(); ++i) {
    const std::size_t group = item["group"][i].get<std::size_t>() - 1;
    groups[group].push_back({item["time"][i], item["event"][i] == 1});
  }
  const LogRankResult result = log_rank(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_TRUE(agree(result.groups[i].observed, item["observed"][i]));
    EXPECT_TRUE(agree(result.groups[i].expected, item["expected"][i]));
  }
  EXPECT_TRUE(agree(result.chi_square, item["chi_square"]));
  EXPECT_TRUE(agree(result.p_value, item["p"]));
}

TEST(RVectors, Survival) {
  const json cases = vectors("survival");
  ASSERT_GT(cases.size(), 200u);
  for (const json& item : cases) {
    SCOPED_TRACE(item["name"].dump() + " " + item.value("scale", ""));
    if (item["kind"] == "curve") {
      check_curve(item);
    } else {
      check_log_rank(item);
    }
  }
}

}  // namespace
}  // namespace dissensus::statistics
