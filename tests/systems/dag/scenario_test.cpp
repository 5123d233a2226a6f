// The system as a whole: the four properties, faults, bugs and guards, in simulated worlds.
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "core/file.h"
#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/dag/guards.h"
#include "systems/dag/settings.h"
#include "systems/seeded_run.h"
#include "systems/simulated/simulated.h"

namespace dissensus::dag {
namespace {

using namespace std::chrono_literals;
using oracle::Outcome;

/// A shipped scenario with other values for some keys of [system], and a lower goal.
run::Scenario scenario(const std::string& name,
                       const std::map<std::string, std::string>& changes = {}) {
  const std::string path = std::string(DISSENSUS_SOURCE_DIR "/scenarios/dag/") + name + ".toml";
  std::string text;
  std::string rest = read_file(path, 1 << 20);
  while (!rest.empty()) {
    const std::string line = rest.substr(0, rest.find('\n'));
    rest.erase(0, line.size() + 1);
    if (changes.count(line.substr(0, line.find(' '))) != 0) continue;
    text += line + '\n';
    if (line != "kind = \"dag\"") continue;
    for (const auto& [key, value] : changes) text += key + " = " + value + '\n';
  }
  return run::parse_scenario(text, path, simulated_systems());
}

std::string quoted(std::string_view word) {
  return fmt::format("\"{}\"", word);
}

class Steps final : public EventSink {
 public:
  explicit Steps(const SystemDescription& description) : description_(description) {}
  void on_event(const Event&) override {}
  bool wants_steps() const override { return true; }
  void on_step(const StepReport& step) override { ++count[description_.steps[step.step].name]; }
  std::map<std::string, int> count;

 private:
  const SystemDescription& description_;
};

TEST(DagScenarios, TheShippedOnesHoldAllProperties) {
  for (const char* name : {"quiet", "delays", "crashes", "equivocation", "epochs"}) {
    const run::Scenario shipped = scenario(name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const run::RunResult result = run_seed(shipped, seed);
      EXPECT_EQ(result.verdict.outcome, Outcome::pass) << name << " " << seed << explain(result);
    }
  }
}

TEST(DagScenarios, PropertiesHoldUnderTwoHundredRandomDelaySchedules) {
  const run::Scenario delays = scenario("delays");
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const run::RunResult result = run_seed(delays, seed);
    EXPECT_EQ(result.verdict.outcome, Outcome::pass) << seed << ": " << explain(result);
    hashes.insert(result.hash);
  }
  EXPECT_EQ(hashes.size(), 200u);
}

TEST(DagScenarios, TheSameSeedGivesTheSameTraceWithOrWithoutAnObserverOfSteps) {
  for (const char* name : {"delays", "crashes", "epochs"}) {
    const run::Scenario shipped = scenario(name);
    const std::uint64_t hash = run_seed(shipped, 7).hash;
    EXPECT_EQ(run_seed(shipped, 7).hash, hash);
    EXPECT_NE(run_seed(shipped, 8).hash, hash);
    Random random(7, "schedule");
    const faults::Schedule schedule = run::random_schedule(shipped, random);
    Steps steps(shipped.system_description());
    run::RunOptions options;
    options.sinks = {&steps};
    run::Runner runner;
    EXPECT_EQ(runner.run(shipped, schedule, 7, options).hash, hash);
    EXPECT_GT(steps.count["next-round"], 100);
    EXPECT_GT(steps.count["receive"], 100);
    EXPECT_GE(steps.count["receive"], steps.count["add"]);
  }
}

TEST(DagScenarios, NodesStopAndResumeAndEpochsChange) {
  run::Runner runner;
  run::RunOptions options;
  const run::Scenario crashes = scenario("crashes");
  Steps stops(crashes.system_description());
  options.sinks = {&stops};
  runner.run(crashes, {}, 1, options);
  EXPECT_GT(stops.count["stop"], 0);
  EXPECT_GT(stops.count["resume"], 0);
  const run::Scenario epochs = scenario("epochs");
  Steps changes(epochs.system_description());
  options.sinks = {&changes};
  runner.run(epochs, {}, 1, options);
  EXPECT_GE(changes.count["epoch-change"], 40);
}

TEST(DagScenarios, CrashedAndPartitionedNodesCatchUp) {
  for (const char* broadcast : {"best-effort", "reliable"}) {
    const run::Scenario quiet = scenario("quiet", {{"broadcast", quoted(broadcast)}});
    faults::Schedule schedule;
    schedule.faults.emplace_back(faults::CrashFault{2, 500ms, {}, 700ms});
    faults::Window window;
    window.from = 1500ms;
    window.until = 2200ms;
    schedule.faults.emplace_back(faults::PartitionFault{{{5}}, window});
    run::Runner runner;
    const run::RunResult result = runner.run(quiet, schedule, 1);
    EXPECT_EQ(result.verdict.outcome, Outcome::pass) << broadcast << ": " << explain(result);
  }
}

/// A scenario with random values of the fuzzer's inputs (paper, Table 1), as many faulty nodes as
/// stakes allow at most, and epochs in every second one.
std::string random_inputs(Random& random) {
  const std::uint64_t nodes = 4 + random.below(9);
  const bool reliable = random.chance(0.4);
  std::uint64_t faulty = (nodes - 1) / 3;
  std::string system = fmt::format(
      "kind = \"dag\"\nnum_nodes = {}\nvertex_production_rate = {}\niteration_duration = "
      "\"{}us\"\nmessage_receive_delay = [\"0ms\", \"{}ms\"]\nbroadcast = \"{}\"\n",
      nodes, 5 + random.below(40), 11'000 + random.below(15'000), random.below(15),
      reliable ? "reliable" : "best-effort");
  if (random.chance(0.5)) system += fmt::format("waves_per_epoch = {}\n", 1 + random.below(6));
  if (reliable && random.chance(0.5)) {
    system += fmt::format("equivocators = [{}]\n", random.below(nodes));
    --faulty;
  }
  system += fmt::format("number_faulty = {}\nfailure_chance = {:.2f}\nfailure_window = \"1s\"\n",
                        faulty, random.unit());
  return fmt::format(
      "format = \"dissensus-scenario/1\"\nname = \"inputs\"\n[system]\n{}\n[network]\n"
      "latency = {{ uniform = [\"1ms\", \"{}ms\"] }}\norder = \"any\"\n[schedule]\n"
      "type = \"delay\"\nmax_delay = \"{}ms\"\n[phases]\nfaults = \"2s\"\nheal = \"1s\"\n"
      "[oracle.termination]\nlevel = \"block\"\nbound = \"5s\"\n"
      "[limits]\nvirtual_time = \"9s\"\n",
      system, 2 + random.below(30), 1 + random.below(60));
}

TEST(DagScenarios, PropertiesHoldForRandomInputsAndFaults) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Random random(seed, "inputs");
    const std::string text = random_inputs(random);
    const run::Scenario inputs = run::parse_scenario(text, "inputs", simulated_systems());
    faults::Schedule schedule = run::random_schedule(inputs, random);
    const auto node = static_cast<NodeId>(random.below(inputs.nodes()));
    if (random.chance(0.5)) {
      schedule.faults.emplace_back(faults::CrashFault{node, 600ms, {}, 400ms});
    } else {
      faults::Window window;
      window.from = 600ms;
      window.until = 1200ms;
      schedule.faults.emplace_back(faults::PartitionFault{{{node}}, window});
    }
    run::Runner runner;
    const run::RunResult result = runner.run(inputs, schedule, seed);
    EXPECT_EQ(result.verdict.outcome, Outcome::pass) << seed << ": " << explain(result) << text;
  }
}

TEST(DagScenarios, EquivocationSplitsABestEffortBroadcastOnly) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(run_seed(scenario("equivocation"), seed).verdict.outcome, Outcome::pass);
    const run::RunResult split =
        run_seed(scenario("equivocation", {{"broadcast", quoted("best-effort")}}), seed);
    ASSERT_EQ(split.verdict.outcome, Outcome::fail);
    EXPECT_EQ(split.verdict.violations.front().property, "agreement");
  }
}

TEST(DagScenarios, ForgedVerticesAreRefused) {
  for (const char* name : {"delays", "epochs"}) {
    const run::RunResult result = run_seed(scenario(name, {{"forgers", "[1]"}}), 1);
    EXPECT_EQ(result.verdict.outcome, Outcome::pass) << name << ": " << explain(result);
  }
}

// Each bug changes a trace, or what the node tells (which node_test shows).
TEST(DagScenarios, BugsShow) {
  const auto outcome = [](const char* name, const char* bug, std::uint64_t seed) {
    return run_seed(scenario(name, {{"bugs", fmt::format("[\"{}\"]", bug)}}), seed);
  };
  EXPECT_EQ(outcome("delays", "unordered-blocks", 1).verdict.outcome, Outcome::fail);
  EXPECT_EQ(outcome("epochs", "ignore-epoch-change", 1).verdict.outcome, Outcome::fail);
  const std::uint64_t correct = run_seed(scenario("crashes"), 1).hash;
  for (const char* bug : {"duplicate-add", "future-vertices", "late-round",
                          "genesis-outside-wave-one", "wave-underflow"}) {
    EXPECT_NE(outcome("crashes", bug, 1).hash, correct) << bug;
  }
  for (const char* bug : {"rounds-from-one", "leader-sentinels"}) {
    EXPECT_EQ(outcome("delays", bug, 1).hash, run_seed(scenario("delays"), 1).hash) << bug;
  }
}

// Every guard decides something in some scenario: the other way round, the run is another one.
TEST(DagGuards, EachNegationChangesARun) {
  const char* names[] = {"crashes", "equivocation", "epochs"};
  std::map<std::string, std::uint64_t> expected;
  const auto hash = [](run::Scenario run) {
    run.plan.limits.virtual_time = 3s;
    return run_seed(run, 1).hash;
  };
  for (const char* name : names) expected[name] = hash(scenario(name));
  for (const GuardDescription& guard : guards()) {
    bool changed = false;
    for (const char* name : names) {
      changed =
          changed || hash(scenario(name, {{"negate_guard", quoted(guard.name)}})) != expected[name];
    }
    EXPECT_TRUE(changed) << guard.name;
  }
}

/// What a run did: its trace, and the steps that its nodes told.
std::pair<std::uint64_t, std::map<std::string, int>> behaviour(const run::Scenario& scenario) {
  Steps steps(scenario.system_description());
  run::RunOptions options;
  options.sinks = {&steps};
  run::Runner runner;
  const std::uint64_t hash = runner.run(scenario, {}, 1, options).hash;
  return {hash, steps.count};
}

// What a guard protects from happens once it is gone, where somebody or something provokes it.
TEST(DagGuards, DeletionsShowWhereTheyAreProvoked) {
  struct Case {
    const char* guard;
    const char* scenario;
    std::map<std::string, std::string> changes;
  };
  const std::map<std::string, std::string> forged{{"forgers", "[1]"}};
  const Case cases[] = {
      {"alive", "crashes", {}},
      {"row-quorum", "quiet", {}},
      {"own-vertex", "epochs", {}},
      {"vertex-epoch", "delays", forged},
      {"members-only", "epochs", {{"forgers", "[1]"}, {"broadcast", quoted("best-effort")}}},
      {"receiver-member", "epochs", {{"forgers", "[1]"}, {"broadcast", quoted("best-effort")}}},
      {"parents-quorum", "delays", forged},
      {"self-parent", "delays", forged},
      {"first-in-slot",
       "equivocation",
       {{"broadcast", quoted("best-effort")}, {"equivocators", "[3]"}}},
      {"round-bound", "delays", {}},
      {"parents-present", "crashes", {}},
      {"wave-end", "equivocation", {}},
      {"vote-quorum", "crashes", {}},
      {"earlier-leader-reachable", "crashes", {}},
      {"undelivered", "quiet", {}},
      {"epoch-complete", "epochs", {}},
      {"seal-support", "epochs", {}},
      {"echo-creator", "crashes", {{"broadcast", quoted("reliable")}}},
      {"echo-once", "equivocation", {}},
      {"echo-quorum", "equivocation", {}},
      {"ready-once", "quiet", {}},
      {"ready-support", "quiet", {}},
      {"deliver-quorum", "equivocation", {}},
  };
  for (const Case& test : cases) {
    std::map<std::string, std::string> changes = test.changes;
    run::Scenario correct = scenario(test.scenario, changes);
    changes["delete_guard"] = quoted(test.guard);
    run::Scenario mutant = scenario(test.scenario, changes);
    correct.plan.limits.virtual_time = mutant.plan.limits.virtual_time = 3s;
    EXPECT_NE(behaviour(correct), behaviour(mutant)) << test.guard;
  }
}

TEST(DagSettings, BadOptionsAreRefusedWithTheirPlace) {
  const auto message = [](const std::string& options) -> std::string {
    try {
      Settings{Options::from_toml(options, "test")};
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("num_nodes = 7"), "accepted");
  EXPECT_NE(message("num_nodes = 65").find("test:1: num_nodes"), std::string::npos);
  EXPECT_NE(message("stakes = [1, 2]").find("one stake per node (4)"), std::string::npos);
  EXPECT_NE(message("committees = [[0, 9]]").find("test:1"), std::string::npos);
  EXPECT_NE(message("committees = [[0, 0]]").find("named twice"), std::string::npos);
  EXPECT_NE(message("committees = [[]]").find("at least one node"), std::string::npos);
  EXPECT_NE(message("bugs = [\"late-rounds\"]").find("late-round"), std::string::npos);
  EXPECT_NE(message("delete_guard = \"row-qorum\"").find("row-quorum"), std::string::npos);
  EXPECT_NE(message("message_send_delay = [\"5ms\", \"1ms\"]").find("minimum"), std::string::npos);
  EXPECT_NE(message("iteration_duration = \"0s\"").find("more than zero"), std::string::npos);
  EXPECT_NE(message("broadcast = \"loud\"").find("best-effort"), std::string::npos);
}

TEST(DagSettings, CommitteesAndStakesRotate) {
  const Settings settings{Options::from_toml(
      "num_nodes = 4\ncommittee_size = 3\nstakes = [[1, 1, 1, 1], [4, 3, 2, 1]]", "test")};
  EXPECT_EQ(settings.committee(0).members(), Mask{0b0111});
  EXPECT_EQ(settings.committee(1).members(), Mask{0b1110});
  EXPECT_EQ(settings.committee(1).total(), 6u);
  EXPECT_EQ(settings.committee(3).members(), Mask{0b1011});
  EXPECT_EQ(settings.committee(4).members(), Mask{0b0111});
}

TEST(DagGuards, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < guards().size(); ++i) {
    EXPECT_TRUE(names.insert(guards()[i].name).second);
    EXPECT_FALSE(guards()[i].protects.empty());
    EXPECT_EQ(static_cast<std::size_t>(*find_guard(guards()[i].name)), i);
  }
  EXPECT_FALSE(find_guard("no-such-guard").has_value());
}

// FMDSE, Example 2.2: some clients choose leaders by their place, others by stake.
TEST(DagImplementations, OfDifferentLeadersInOneNetworkDisagree) {
  const std::string stakes = "[1, 2, 3, 4]";
  const auto failing = [&](const std::map<std::string, std::string>& changes) {
    std::map<std::string, std::string> all{{"nodes", "4"}, {"stakes", stakes}};
    all.insert(changes.begin(), changes.end());
    const run::Scenario mixed = scenario("quiet", all);
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const run::RunResult result = run_seed(mixed, seed);
      failed += result.verdict.outcome == Outcome::fail &&
                        result.verdict.violations.front().property == "agreement"
                    ? 1
                    : 0;
    }
    return failed;
  };
  EXPECT_EQ(failing({}), 0u);
  EXPECT_EQ(failing({{"implementation", "[{ nodes = [2, 3] }]"}}), 0u)
      << "the same by another name";
  EXPECT_EQ(failing({{"implementation", "[{ nodes = [2, 3], leaders = \"stake-hash\" }]"}}), 5u);
  EXPECT_THROW(
      scenario("quiet", {{"nodes", "4"}, {"implementation", "[{ nodes = [2] }, { nodes = [2] }]"}}),
      InputError);
}

}  // namespace
}  // namespace dissensus::dag
