// The XRP Ledger under Byzantine faults: what the papers found is found, what is tolerated is not.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "run/recording.h"
#include "run/runner.h"
#include "run/scenario.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::xrpl {
namespace {

run::Scenario load(const std::string& name) {
  return run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/" + name + ".toml",
                            simulated_systems());
}

faults::Schedule draw(const run::Scenario& scenario, std::uint64_t index) {
  Random random(1, "schedule", index);
  return run::random_schedule(scenario, random);
}

bool fails(const oracle::Verdict& verdict, const std::string& property) {
  for (const oracle::PropertyVerdict& judged : verdict.properties) {
    if (judged.property == property) return judged.outcome == oracle::Outcome::fail;
  }
  ADD_FAILURE() << "no property " << property;
  return false;
}

/// How many of the first runs fail which property.
std::map<std::string, std::size_t> failures(const run::Scenario& scenario, std::uint64_t runs) {
  std::map<std::string, std::size_t> counts;
  run::Runner runner;
  for (std::uint64_t index = 0; index < runs; ++index) {
    const run::RunResult result = runner.run(scenario, draw(scenario, index), index);
    for (const oracle::PropertyVerdict& judged : result.verdict.properties) {
      counts[judged.property] += judged.outcome == oracle::Outcome::fail ? 1 : 0;
    }
  }
  return counts;
}

constexpr const char* kIncompatible = "termination/incompatible-ledger";
constexpr const char* kInsufficient = "termination/insufficient-support";

// The law of determinism holds for liars, twins and wrong clocks too, and a plan that went through
// its JSON document is the same plan.
TEST(Byzantine, RunsReplayWithTheSameHash) {
  for (const std::string name : {"byzzfuzz-c1d0", "byzzfuzz-c1d2", "byzzfuzz-c2d0",
                                 "byzzfuzz-correct", "twins-two-unl", "naive-baseline"}) {
    const run::Scenario scenario = load(name);
    run::Runner runner;
    run::Runner other;
    for (std::uint64_t index = 0; index < 8; ++index) {
      const faults::Schedule schedule = draw(scenario, index);
      const std::uint64_t hash = runner.run(scenario, schedule, index).hash;
      const faults::Schedule read = faults::parse_schedule(
          faults::to_json(schedule, scenario.system_description(), scenario.nodes()), "s.json",
          scenario.system_description(), scenario.nodes());
      EXPECT_EQ(read, schedule);
      EXPECT_EQ(other.run(scenario, read, index).hash, hash) << name << " " << index;
    }
  }
}

// One process fault finds both bugs of the paper on the two-UNL network.
TEST(Byzantine, ByzzFuzzFindsBothBugsOnTwoUnls) {
  auto counts = failures(load("byzzfuzz-c1d0"), 150);
  EXPECT_GE(counts[kIncompatible], 3u);
  EXPECT_GE(counts[kInsufficient], 3u);
}

// Seven correct nodes that trust each other tolerate one liar.
TEST(Byzantine, ByzzFuzzFindsNothingOnACorrectNetwork) {
  for (const auto& [property, count] : failures(load("byzzfuzz-correct"), 150)) {
    EXPECT_EQ(count, 0u) << property;
  }
}

// Without the bug the two-UNL network can still split, but refuses no ledger.
TEST(Byzantine, TheIncompatibleLedgerNeedsItsBug) {
  run::Scenario scenario = load("byzzfuzz-c1d0");
  std::string text = scenario.text;
  const std::string bug = "bugs = [\"incompatible-ledger\"]\n";
  text.erase(text.find(bug), bug.size());
  auto counts = failures(run::parse_scenario(text, "fixed.toml", simulated_systems()), 150);
  EXPECT_EQ(counts[kIncompatible], 0u);
}

TEST(Byzantine, TwinsForkTwoUnlsAndNotFullTrust) {
  EXPECT_GE(failures(load("twins-two-unl"), 60)["agreement"], 1u);
  for (const auto& [property, count] : failures(load("twins-full-trust"), 40)) {
    EXPECT_EQ(count, 0u) << property;
  }
}

// UNLs that share half of their members satisfy the bounds of thesis 2.2.2, which leave out liars:
// a cut alone does no harm, a shared validator that exists twice forks the network.
TEST(Byzantine, HalfAnOverlapForksWithOneTwin) {
  const run::Scenario scenario = load("unl-overlap-50");
  const faults::Schedule twins = run::load_schedule(
      DISSENSUS_SOURCE_DIR "/scenarios/xrpl/unl-overlap-50.schedule.json", scenario);
  const auto& fault = *twins.faults.at(0).as<faults::TwinsFault>();
  faults::Schedule cut;
  cut.faults.emplace_back(faults::PartitionFault{{fault.second}, {}});
  run::Runner runner;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_TRUE(fails(runner.run(scenario, twins, seed).verdict, "agreement"));
    EXPECT_FALSE(fails(runner.run(scenario, cut, seed).verdict, "agreement"));
  }
}

// consensus.md 16: a validation (H, S+1) of the ledger H of sequence S, heard by all after H has
// its quorum, makes correct servers refuse the real ledger S+1.
TEST(Byzantine, AWrittenPlanReproducesTheIncompatibleLedger) {
  const run::Scenario scenario = load("byzzfuzz-c1d0");
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    faults::Schedule schedule = faults::parse_schedule(R"({"format": "dissensus-schedule/1",
        "system": "xrpl", "nodes": 7, "faults": [
        {"type": "mutate", "node": 3, "round": 5, "seed": 1, "field": "ledger_seq"}]})",
                                                       "s.json", scenario.system_description(), 7);
    run::Runner runner;
    const run::RunResult result = runner.run(scenario, schedule, seed, run::with_trace());
    found += fails(result.verdict, kIncompatible) ? 1 : 0;
    std::set<EventType> seen;
    for (const trace::Record& record : result.records) {
      seen.insert(record.type);
      if (record.type != EventType::mutate) continue;
      EXPECT_EQ(record.node, 3);
      EXPECT_EQ(std::get<std::uint64_t>(record.fields.at(0)), 3u) << "signed by the liar itself";
      EXPECT_NE(record.text.find("ledger_seq: "), std::string::npos);
    }
    EXPECT_TRUE(seen.contains(EventType::mutate));
    EXPECT_EQ(result.verdict.faulty, NodeSet{3});
  }
  EXPECT_GE(found, 5u);
}

// Whatever liars, twins and wrong clocks do, no node trips over it.
TEST(Byzantine, SurvivesEveryKindOfFaultAtOnce) {
  run::Scenario scenario = load("byzzfuzz-c1d0");
  scenario.space.faults.liars = faults::read_liars(
      Options::from_toml("process_faults = 4\nnetwork_faults = 2\nreplays = 2\nsilences = 2\n"
                         "twins = 1\ndrop = 0.1\ncorrupt = 0.2\nskew = \"30s\"\nscope = \"any\"\n"
                         "nodes = [2, 3]\nfaulty = 2\nrounds = [1, 12]\n",
                         "space"),
      scenario.system_description(), scenario.nodes());
  run::Runner runner;
  for (std::uint64_t index = 0; index < 25; ++index) {
    const faults::Schedule schedule = draw(scenario, index);
    const run::RunResult result = runner.run(scenario, schedule, index);
    EXPECT_NE(result.ended_by, "event-limit");
    EXPECT_EQ(result.hash, runner.run(scenario, schedule, index).hash);
  }
}

}  // namespace
}  // namespace dissensus::xrpl
