#include "discotest/harness.h"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hunt/parts.h"
#include "search/registry.h"
#include "systems/simulated/simulated.h"

namespace dissensus::discotest {
namespace {

using testing::HasSubstr;

run::Scenario network(const std::string& bugs, const std::string& more = "") {
  const std::string path = DISSENSUS_SOURCE_DIR "/scenarios/xrpl/discotest.toml";
  run::Scenario plain = run::load_scenario(path, simulated_systems());
  std::string text = plain.text;
  const std::string profile = "profile = \"1.7.2\"\n";
  text.insert(text.find(profile) + profile.size(), "bugs = " + bugs + "\n");
  if (!more.empty()) text.replace(text.find("type = \"delay\""), 14, more);
  return run::parse_scenario(text, "discotest.toml", simulated_systems());
}

HarnessResult run(const run::Scenario& scenario, const std::string& search,
                  const std::string& finding, Duration budget, const HarnessOptions& options = {},
                  std::uint64_t seed = 1) {
  Registry registry = search::built_in_registry();
  registry.systems = simulated_systems();
  hunt::HuntOptions hunt;
  hunt.search = search;
  hunt.fitness = {"discotest-time"};
  hunt.seed = seed;
  hunt::HuntParts parts = hunt::make_parts(scenario, registry, hunt);
  return run_harness(scenario, parts, options, budget, seed,
                     [&](const std::string& sign) { return sign == finding; });
}

// One network goes through many cases: balances are set up again, payments are settled again.
TEST(Harness, OneNetworkGoesThroughManyCases) {
  const HarnessResult result =
      run(network("[\"B3-fixed\"]"), "discotest-random", "never", std::chrono::minutes(20));
  EXPECT_FALSE(result.found);
  EXPECT_GT(result.cases, 15u);
  EXPECT_LT(result.cases, 80u);
  EXPECT_LT(result.capped, result.cases / 2) << "most cases settle their payment";
  EXPECT_EQ(result.seconds, 1200);
}

/// Keeps what each test case was measured at.
class Witness final : public Fitness {
 public:
  explicit Witness(std::vector<RunSummary>& seen) : seen_(seen) {}
  double score(const RunSummary& run, const faults::Schedule&) const override {
    seen_.push_back(run);
    return 0;
  }

 private:
  std::vector<RunSummary>& seen_;
};

// Fitness functions other than the program's own are measured, too, and of one case alone.
TEST(Harness, MeasuresEachCaseByItself) {
  const run::Scenario scenario = network("[\"B3-fixed\"]");
  Registry registry = search::built_in_registry();
  registry.systems = simulated_systems();
  hunt::HuntOptions hunt;
  hunt.search = "discotest-random";
  hunt.fitness = {"discotest-time"};
  hunt::HuntParts parts = hunt::make_parts(scenario, registry, hunt);
  std::vector<RunSummary> seen;
  parts.objectives = {std::make_shared<Witness>(seen)};
  const HarnessResult result = run_harness(scenario, parts, {}, std::chrono::minutes(20), 1,
                                           [](const std::string&) { return false; });
  ASSERT_EQ(seen.size(), result.cases);
  std::uint64_t last = 0;
  std::size_t behind = 0;
  for (const RunSummary& summary : seen) {
    const auto& ledgers = summary.decisions.back();
    ASSERT_FALSE(ledgers.empty());
    // Cases follow each other, and so do the ledgers that they saw.
    EXPECT_GE(ledgers.front().instance, last);
    last = ledgers.front().instance;
    EXPECT_LT(summary.behind, summary.duration * 5);
    behind += summary.behind > Duration{} ? 1 : 0;
  }
  EXPECT_GT(behind, seen.size() / 2);
  double sum = 0;
  for (const double share : result.shares) sum += share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Harness, IsAFunctionOfItsSeed) {
  const run::Scenario scenario = network("[\"B3-fixed\"]");
  const auto twice = [&](std::uint64_t seed) {
    return run(scenario, "discotest", "never", std::chrono::minutes(10), {}, seed);
  };
  EXPECT_EQ(twice(3).case_seconds, twice(3).case_seconds);
  EXPECT_NE(twice(3).case_seconds, twice(4).case_seconds);
}

// The program's rule for B1 finds it, and is never satisfied by a server without it.
TEST(Harness, FindsB1OnlyWhereItIs) {
  const auto budget = std::chrono::hours(1);
  EXPECT_TRUE(
      run(network("[\"B1\", \"B3-fixed\"]"), "discotest-random", "program/B1", budget).found);
  const HarnessResult control =
      run(network("[\"B3-fixed\"]"), "discotest-random", "program/B1", budget);
  EXPECT_FALSE(control.found);
  EXPECT_EQ(control.signs.count("sign/old-proposal"), 0u);
}

TEST(Harness, CasesAreCutAndNetworksCanBeFresh) {
  HarnessOptions options;
  options.deliveries = 300;
  options.shared_network = false;
  const HarnessResult result =
      run(network("[\"B3-fixed\"]"), "discotest-random", "never", std::chrono::minutes(5), options);
  EXPECT_GT(result.cases, 3u);
  EXPECT_GT(result.capped, result.cases / 2);
}

TEST(Harness, PrioritiesSlowDownAQuietNetwork) {
  const HarnessResult result = run(network("[\"B3-fixed\"]", "type = \"priority\""),
                                   "discotest-random", "never", std::chrono::minutes(10));
  EXPECT_GT(result.cases, 5u);
}

TEST(Harness, RefusesAScenarioWithoutThePattern) {
  const run::Scenario scenario =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/thesis.toml", simulated_systems());
  try {
    check_scenario(scenario);
    FAIL() << "no complaint";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("needs one payment at 0s"));
  }
}

}  // namespace
}  // namespace dissensus::discotest
