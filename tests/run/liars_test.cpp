// A node is a liar from the moment at which it lies, and in no run in which it does not: a fault
// that changes nothing takes no node out of the demand that nodes agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "run/runner.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::run {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

Scenario overtaken() {
  return load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml",
                       simulated_systems());
}

/// Two nodes that decide differently, and a schedule under which they do.
struct Disagreement {
  Scenario scenario = overtaken();
  faults::Schedule schedule;
  std::uint64_t seed = 1;
  oracle::Violation violation;

  Disagreement() {
    Runner runner;
    for (;; ++seed) {
      Random random(seed, "schedule");
      schedule = random_schedule(scenario, random);
      const RunResult result = runner.run(scenario, schedule, seed);
      if (result.verdict.violations.empty()) continue;
      violation = result.verdict.violations.front();
      return;
    }
  }
  RunResult with(const faults::Fault& fault) const {
    faults::Schedule more = schedule;
    more.faults.push_back(fault);
    Runner runner;
    RunOptions options;
    options.detail = trace::Detail::everything;
    return runner.run(scenario, more, seed, options);
  }
};

std::string notes_of(const RunResult& result) {
  std::string text;
  for (const oracle::Violation& note : result.verdict.notes) text += note.rule + " " + note.text;
  return text;
}

TEST(Liars, AMutationOfARoundThatNeverComesExcusesNobody) {
  const Disagreement found;
  for (const NodeId node : found.violation.nodes) {
    faults::MutateFault never;
    never.node = node;
    never.round = 1'000'000;
    never.receivers = faults::other_nodes(node, found.scenario.nodes());
    const RunResult result = found.with(never);
    EXPECT_EQ(result.verdict.outcome, oracle::Outcome::fail);
    EXPECT_THAT(result.verdict.faulty, IsEmpty());
    EXPECT_THAT(notes_of(result), HasSubstr("never-acted"));
  }
}

TEST(Liars, NoiseOfAnEmptyWindowExcusesNobody) {
  const Disagreement found;
  for (const NodeId node : found.violation.nodes) {
    faults::NoiseFault later{node, 0, 1, 1, {}};
    later.when.from = hours(1);
    const RunResult result = found.with(later);
    EXPECT_EQ(result.verdict.outcome, oracle::Outcome::fail);
    EXPECT_THAT(result.verdict.faulty, IsEmpty());
    EXPECT_THAT(notes_of(result), HasSubstr("never-acted"));
  }
}

TEST(Liars, WhoeverLiesIsHeldToNothing) {
  const Disagreement found;
  const NodeId node = found.violation.nodes.front();
  const RunResult result = found.with(faults::NoiseFault{node, 0, 1, 1, {}});
  EXPECT_EQ(result.verdict.faulty, (NodeSet{node}));
  for (const oracle::Violation& violation : result.verdict.violations) {
    EXPECT_THAT(violation.nodes, testing::Not(testing::Contains(node)));
  }
  EXPECT_EQ(notes_of(result).find("never-acted"), std::string::npos);
}

// What a run showed before anybody lied, it showed without liars.
TEST(Liars, ALieDoesNotUndoWhatWasSeenBefore) {
  Disagreement found;
  found.scenario.stop_on_violation = false;
  faults::NoiseFault afterwards{found.violation.nodes.front(), 0, 1, 1, {}};
  afterwards.when.from = found.violation.time - Time{} + Duration(1);
  EXPECT_EQ(found.with(afterwards).verdict.outcome, oracle::Outcome::fail);
}

// Two copies that say the same are one honest node to everybody.
TEST(Liars, TwinsLieWhenTheSecondOneSaysSomethingElse) {
  const Scenario scenario = overtaken();
  Runner runner;
  faults::TwinsFault twins{0, faults::other_nodes(0, scenario.nodes()),
                           faults::other_nodes(0, scenario.nodes()), std::nullopt};
  const RunResult same = runner.run(scenario, {{}, {twins}}, 1);
  EXPECT_THAT(same.verdict.faulty, IsEmpty());
  EXPECT_EQ(same.verdict.outcome, oracle::Outcome::pass);

  // The second copy alone hears a majority for 0, and commits to it.
  const Scenario divided = parse_scenario(R"(
format = "dissensus-scenario/1"
name = "twins"
[system]
kind = "majority"
values = [1, 1, 0, 0, 0]
[network]
latency = { uniform = ["1ms", "5ms"] }
)",
                                          "twins.toml", simulated_systems());
  const faults::TwinsFault apart{0, {1}, {2, 3, 4}, std::nullopt};
  EXPECT_EQ(runner.run(divided, {{}, {apart}}, 1).verdict.faulty, (NodeSet{0}));
}

}  // namespace
}  // namespace dissensus::run
