#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/libraft/correct_raft.h"
#include "systems/simulated/simulated.h"

namespace dissensus::libraft {
namespace {

run::Scenario scenario_of(const std::string& name) {
  return run::load_scenario(std::string(DISSENSUS_SOURCE_DIR) + "/scenarios/libraft/" + name,
                            simulated_systems());
}

constexpr std::string_view kEverything = R"(
[schedule.faults]
partitions = 4
crashes = 3
pauses = 2
clocks = 2
links = 2
disks = 2
until = "10s"

[disk]
sync = { uniform = ["500us", "3ms"] }

[network]
latency = { uniform = ["1ms", "10ms"] }

[phases]
faults = "12s"
heal = "5s"

[oracle.termination]
level = "entry"
bound = "10s"

[limits]
virtual_time = "30s"
)";

run::Scenario correct(const std::string& more) {
  SystemRegistry systems;
  systems.add(correct_raft_entry());
  const std::string text =
      "format = \"dissensus-scenario/1\"\nname = \"correct\"\n[system]\n"
      "kind = \"correct-raft\"\n" +
      more + std::string(kEverything);
  return run::parse_scenario(text, "correct.toml", systems);
}

/// How many runs a test makes: DISSENSUS_RUNS, for the figures of docs/results/libraft.md.
std::uint64_t runs_or(std::uint64_t fallback) {
  const char* const asked = std::getenv("DISSENSUS_RUNS");
  return asked == nullptr ? fallback : std::strtoull(asked, nullptr, 10);
}

struct Tally {
  int failed = 0;
  std::string first;
};
Tally tally(const run::Scenario& scenario, std::uint64_t runs) {
  run::Runner runner;
  Tally result;
  for (std::uint64_t i = 0; i < runs; ++i) {
    Random random(11, "tally", i);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    const run::RunResult run = runner.run(scenario, schedule, i + 1);
    if (run.verdict.outcome != oracle::Outcome::fail) continue;
    if (result.failed++ == 0) result.first = run.verdict.violations.front().text;
  }
  return result;
}

TEST(Libraft, RunsWithoutFaultsPass) {
  const Tally quiet = tally(scenario_of("quiet.toml"), runs_or(20));
  EXPECT_EQ(quiet.failed, 0) << quiet.first;
}

TEST(Libraft, TheSameRunHasTheSameHashInAnyProcess) {
  const run::Scenario scenario = scenario_of("snapshots.toml");
  for (std::uint64_t i = 0; i < 3; ++i) {
    Random random(3, "hash", i);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    run::Runner one;
    run::Runner other;
    EXPECT_EQ(one.run(scenario, schedule, 77).hash, other.run(scenario, schedule, 77).hash);
  }
}

// ---- findings (docs/results/libraft.md)

struct Finding {
  std::string name;
  std::uint64_t seed;
  std::string signature;  ///< or how it begins
};

class LibraftFinding : public testing::TestWithParam<Finding> {};

TEST_P(LibraftFinding, IsStillThere) {
  const auto& [name, seed, signature] = GetParam();
  const run::Scenario scenario = scenario_of("findings/" + name + ".toml");
  const faults::Schedule schedule = run::load_schedule(
      std::string(DISSENSUS_SOURCE_DIR) + "/scenarios/libraft/findings/" + name + ".schedule.json",
      scenario);
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, schedule, seed);
  ASSERT_EQ(result.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(result.verdict.violations.front().signature().substr(0, signature.size()), signature);
  EXPECT_EQ(runner.run(scenario, schedule, seed).hash, result.hash);
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraftFinding,
    testing::Values(Finding{"figure-8", 732681081633320, "agreement/decided-differently/entry"},
                    Finding{"full-disk", 2612825595401756, "agreement/decided-differently/entry"},
                    Finding{"two-leaders", 2316936413051305,
                            "agreement/decided-differently/leader"},
                    Finding{"rollback-crash", 6695988935875583, "crash/segmentation-fault-libraft"},
                    Finding{"hole-in-the-log", 3393747567149609, "termination/no-progress/entry"}),
    [](const testing::TestParamInfo<Finding>& given) {
      std::string name = given.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// ---- delays, and a Raft that is right

TEST(Libraft, DelaysAloneBreakNothing) {
  const Tally late = tally(scenario_of("delays.toml"), runs_or(20));
  EXPECT_EQ(late.failed, 0) << late.first;
}

TEST(CorrectRaft, NoFaultOfTheEnvironmentBreaksIt) {
  const Tally result = tally(correct(""), runs_or(100));
  EXPECT_EQ(result.failed, 0) << result.first;
}

}  // namespace
}  // namespace dissensus::libraft
