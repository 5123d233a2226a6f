// The fault space of a scenario: read, drawn from, and mistakes in it named.
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "run/runner.h"
#include "run/scenario.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::run {
namespace {

const std::string kHead =
    "format = \"dissensus-scenario/1\"\nname = \"x\"\n[system]\nkind = \"majority\"\nvalues = [1, "
    "1, 0]\nrounds = 8\n[schedule.byzantine]\n";

std::string error_of(const std::string& text) {
  try {
    parse_scenario(kHead + text, "s.toml", simulated_systems());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ByzantineSpace, IsReadAndDrawnFrom) {
  const Scenario scenario = parse_scenario(
      kHead +
          "process_faults = 2\nnetwork_faults = 1\nrounds = [1, 4]\nscope = \"any\"\n"
          "nodes = [2]\nreceivers = [[0, 1], [0]]\ndrop = 0.1\nskew = \"1s\"\n",
      "s.toml", simulated_systems());
  EXPECT_EQ(scenario.space.type, ScheduleSpace::Type::faults) << "a space without delays";
  const faults::FaultSpace::Liars& space = scenario.space.faults.liars;
  EXPECT_EQ(space.most(faults::MutateFault::kind()), 2u);
  EXPECT_EQ(space.most(faults::ReplayFault::kind()), 0u);
  EXPECT_EQ(space.last_round, 4u);
  EXPECT_EQ(space.nodes, NodeSet{2});
  Random random(1);
  const faults::Schedule schedule = random_schedule(scenario, random);
  EXPECT_EQ(faults::byzantine_nodes(schedule.faults), NodeSet{2});
  EXPECT_GE(schedule.faults.size(), 3u);
  const auto* lie = schedule.faults.front().as<faults::MutateFault>();
  ASSERT_NE(lie, nullptr);
  EXPECT_EQ(lie->scope, faults::MutationScope::any);
  EXPECT_LE(lie->receivers.back(), 1) << "of the lists of receivers";
}

// A liar's own decisions break nothing, and the verdict says who it was.
TEST(ByzantineSpace, RunsExemptTheLiar) {
  const Scenario scenario =
      parse_scenario(kHead + "process_faults = 3\nrounds = [0, 8]\nscope = \"any\"\nnodes = [1]\n",
                     "s.toml", simulated_systems());
  Runner runner;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const faults::Schedule schedule = random_schedule(scenario, random);
    const RunResult result = runner.run(scenario, schedule, seed);
    EXPECT_EQ(result.hash, runner.run(scenario, schedule, seed).hash);
    EXPECT_EQ(result.verdict.faulty, NodeSet{1});
    for (const oracle::Violation& violation : result.verdict.violations) {
      for (const NodeId node : violation.nodes) EXPECT_NE(node, 1);
    }
  }
}

TEST(ByzantineSpace, MistakesAreNamed) {
  EXPECT_EQ(error_of("rounds = [4, 2]\n"),
            "s.toml:8: schedule.byzantine.rounds: expected [first, last], first <= last");
  EXPECT_EQ(error_of("nodes = [3]\n"),
            "s.toml:8: schedule.byzantine.nodes[0]: expected an integer from 0 to 2, found 3");
  EXPECT_EQ(error_of("nodes = []\n"),
            "s.toml:8: schedule.byzantine.nodes: expected at least one node, found none");
  EXPECT_EQ(error_of("nodes = [1, 1]\n"),
            "s.toml:8: schedule.byzantine.nodes[1]: node 1 is named twice, expected once");
  EXPECT_NE(error_of("proces_faults = 1\n").find("proces_faults"), std::string::npos);
  EXPECT_NE(error_of("nodes = [0]\nfaulty = 2\n").find("faulty"), std::string::npos);
}

}  // namespace
}  // namespace dissensus::run
