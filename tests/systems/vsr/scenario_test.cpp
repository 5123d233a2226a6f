// Viewstamped Replication as a whole: without a mistake nothing goes wrong under any faults; each
// mistake shows.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/seeded_run.h"
#include "systems/simulated/simulated.h"
#include "systems/vsr/settings.h"

namespace dissensus::vsr {
namespace {

using oracle::Outcome;

run::Scenario scenario(const std::string& name, const std::string& more = "") {
  const std::string path = std::string(DISSENSUS_SOURCE_DIR "/scenarios/vsr/") + name + ".toml";
  std::string text = read_file(path, 1 << 20);
  const std::string kind = "kind = \"vsr\"\n";
  text.insert(text.find(kind) + kind.size(), more);
  return run::parse_scenario(text, path, simulated_systems());
}

std::string first_violation(const run::RunResult& result) {
  return result.verdict.violations.empty() ? "" : result.verdict.violations.front().signature();
}

TEST(ViewstampedReplication, CommitsInTheFirstViewWhereNothingGoesWrong) {
  const run::Scenario quiet = scenario("quiet");
  run::Runner runner;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const run::RunResult result = runner.run(quiet, {}, seed);
    EXPECT_EQ(result.verdict.outcome, Outcome::pass) << first_violation(result);
    EXPECT_EQ(result.ended_by, "goal");
  }
}

TEST(ViewstampedReplication, ExecutesOneOrderUnderFaultsAndDelays) {
  for (const char* name : {"faults", "delays"}) {
    const run::Scenario correct = scenario(name);
    run::Runner runner;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const run::RunResult result = run_seed(runner, correct, seed);
      EXPECT_EQ(first_violation(result), "") << name << ", seed " << seed;
    }
  }
}

TEST(ViewstampedReplication, CommitsAgainAfterAChangeOfViewsAndARecovery) {
  // The first primary crashes and comes back: operations of the second view reach it.
  run::Scenario faulty = scenario("faults");
  faults::Schedule schedule = run::load_schedule(
      DISSENSUS_SOURCE_DIR "/tests/systems/vsr/first-primary-restarts.schedule.json", faulty);
  run::Runner runner;
  run::RunOptions options;
  options.detail = trace::Detail::decisions;
  const run::RunResult result = runner.run(faulty, schedule, 1, options);
  EXPECT_EQ(first_violation(result), "");
  std::uint64_t highest = 0;
  std::uint64_t of_first = 0;
  for (const trace::Record& record : result.records) {
    if (record.type != EventType::decide) continue;
    highest = std::max(highest, record.number);
    if (record.node == 0) of_first = std::max(of_first, record.number);
  }
  EXPECT_GT(highest, 10u);
  EXPECT_GE(of_first + 2, highest);
}

TEST(ViewstampedReplication, NamesUnknownMistakes) {
  try {
    scenario("quiet", "mistakes = [\"longest-lag\"]\n");
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("longest-log"), std::string::npos) << error.what();
  }
}

TEST(ViewstampedReplication, RefusesAnEvenNumberOfReplicas) {
  std::string text =
      "format = \"dissensus-scenario/1\"\nname = \"even\"\n[system]\nkind = \"vsr\"\nnodes = 4\n";
  EXPECT_THROW(run::parse_scenario(text, "even", simulated_systems()), InputError);
}

/// Those that random faults show within some hundred runs; the others are for searches
/// (docs/results/search.md).
TEST(ViewstampedReplication, MistakesShow) {
  for (const char* mistake : {"forgetful-restart", "small-commit", "no-client-table",
                              "transfer-keeps-tail", "view-as-normal", "own-log"}) {
    const run::Scenario wrong = scenario("faults", fmt::format("mistakes = [\"{}\"]\n", mistake));
    run::Runner runner;
    std::size_t failures = 0;
    for (std::uint64_t seed = 1; seed <= 400 && failures == 0; ++seed) {
      failures += run_seed(runner, wrong, seed).verdict.outcome == Outcome::fail ? 1 : 0;
    }
    EXPECT_GT(failures, 0u) << mistake;
  }
}

}  // namespace
}  // namespace dissensus::vsr
