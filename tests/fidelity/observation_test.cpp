#include "fidelity/observation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiment/files.h"
#include "systems/simulated/simulated.h"

namespace dissensus::fidelity {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Records of a network of three made by hand, measured like a run of the real description.
class MadeRun {
 public:
  MadeRun() {
    result_.verdict.outcome = oracle::Outcome::pass;
    result_.ended_by = "goal";
  }

  MadeRun& add(double seconds, EventType type, NodeId node, std::uint64_t number = 0) {
    trace::Record record;
    record.time = time_at(seconds);
    record.type = type;
    record.node = node;
    record.number = number;
    if (type == EventType::decide) record.detail = measures_.level;
    result_.records.push_back(record);
    return *this;
  }
  /// A proposal of `author`, sent to all others by `sender`.
  MadeRun& propose(NodeId sender, NodeId author, std::uint64_t sequence, std::uint64_t round) {
    for (NodeId peer = 0; peer < 3; ++peer) {
      if (peer == sender) continue;
      trace::Record record;
      record.type = EventType::send;
      record.node = sender;
      record.peer = peer;
      record.kind = description().find_kind(sequence == kBowOut ? "ProposeSetBowOut"
                                            : sequence == 0     ? "ProposeSet0"
                                                                : "ProposeSet1");
      record.fields = {std::uint64_t{author}, sequence, Digest{}, Digest{0, round},
                       std::uint64_t{0}};
      result_.records.push_back(record);
    }
    return *this;
  }
  MadeRun& end(double seconds) {
    result_.end = time_at(seconds);
    return *this;
  }
  RunObservation observed() const { return observe(result_, measures_, description(), 3, {}); }

  run::RunResult& result() { return result_; }
  const FidelityMeasures& measures() const { return measures_; }
  const SystemDescription& description() const { return scenario_.system_description(); }
  static constexpr std::uint64_t kBowOut = 0xFFFFFFFF;

 private:
  static Time time_at(double seconds) {
    return time_of_microseconds(static_cast<std::int64_t>(seconds * 1e6 + 0.5));
  }
  run::Scenario scenario_ =
      run::load_scenario(experiment_test::scenario_path("xrpl/thesis.toml"), simulated_systems());
  FidelityMeasures measures_{scenario_};
  run::RunResult result_;
};

TEST(FidelityMeasures, FollowTheScenario) {
  const MadeRun run;
  EXPECT_EQ(run.measures().level_name, "ledger");
  EXPECT_EQ(run.measures().bound_s, 65);
  EXPECT_TRUE(run.measures().has_proposals);
  EXPECT_EQ(run.measures().kinds.size(), 13u);
  EXPECT_THAT(run.measures().phases, testing::Contains("establish"));

  const FidelityMeasures other(run::load_scenario(
      experiment_test::scenario_path("majority/overtaken-commit.toml"), simulated_systems()));
  EXPECT_FALSE(other.has_proposals);
}

// Intervals run from one decision of a node to its next, never across nodes or from the start.
TEST(FidelityObservation, TimesDecisionsPerNode) {
  MadeRun run;
  run.add(2, EventType::decide, 0).add(3, EventType::decide, 1).add(5, EventType::decide, 0);
  run.add(9, EventType::decide, 0).add(10, EventType::decide, 2).end(12);
  const RunObservation observed = run.observed();
  EXPECT_THAT(observed.intervals_s, ElementsAre(DoubleEq(3), DoubleEq(4)));
  EXPECT_DOUBLE_EQ(observed.decisions, 5.0 / 3);
  EXPECT_DOUBLE_EQ(observed.seconds, 12);
  EXPECT_DOUBLE_EQ(observed.longest_gap_s, 10);  // node 2 from the start
}

// The end of the run closes a wait, and the levels beside that of termination do not.
TEST(FidelityObservation, WaitsUntilTheEnd) {
  MadeRun run;
  for (const NodeId node : {NodeId{0}, NodeId{1}, NodeId{2}}) run.add(4, EventType::decide, node);
  run.add(6, EventType::decide, 1);
  run.result().records.back().detail = static_cast<std::uint8_t>(run.measures().level - 1);
  run.end(30);
  EXPECT_DOUBLE_EQ(run.observed().longest_gap_s, 26);
  EXPECT_THAT(run.observed().intervals_s, IsEmpty());
}

// Nothing is demanded of a node that is down or made to lie.
TEST(FidelityObservation, CrashedAndFaultyNodesDoNotStall) {
  MadeRun run;
  run.add(3, EventType::decide, 0).add(3, EventType::decide, 1);
  run.add(5, EventType::crash, 1).add(40, EventType::restart, 1).add(44, EventType::decide, 1);
  for (double time = 6; time < 46; time += 3) run.add(time, EventType::decide, 0);
  run.end(46);
  run.result().verdict.faulty = {2};
  const RunObservation observed = run.observed();
  EXPECT_DOUBLE_EQ(observed.longest_gap_s, 4);
  EXPECT_EQ(std::count(observed.intervals_s.begin(), observed.intervals_s.end(), 41.0), 0);
}

// What others pass on, copies for several peers and bow-outs are no proposals of a round; the first
// round of an author may have begun before the run.
TEST(FidelityObservation, CountsProposalsOfTheirAuthors) {
  MadeRun run;
  run.propose(0, 0, 3, 1).propose(0, 0, 0, 2).propose(0, 0, 1, 2).propose(0, 0, 4, 2);
  run.propose(1, 0, 5, 2);  // relayed
  run.propose(1, 1, 0, 1).propose(1, 1, 0, 2).propose(1, 1, MadeRun::kBowOut, 2).end(10);
  const RunObservation observed = run.observed();
  EXPECT_THAT(observed.round_proposals, UnorderedElementsAre(3, 1));
  EXPECT_THAT(observed.round_sequences, UnorderedElementsAre(4, 0));
  EXPECT_EQ(observed.messages[run.description().find_kind("ProposeSet1")], 2u * 4);
  EXPECT_EQ(observed.messages[run.description().find_kind("ProposeSet0")], 2u * 3);
  EXPECT_EQ(observed.messages[run.description().find_kind("ProposeSetBowOut")], 2u);
  EXPECT_EQ(observed.all_messages(), 16u);
}

// A phase counts where both its ends were seen.
TEST(FidelityObservation, MeasuresWholePhases) {
  MadeRun run;
  enum : std::uint64_t { kOpen, kEstablish, kAccepted };
  ASSERT_EQ(run.measures().phases[kEstablish], "establish");
  run.add(1, EventType::phase, 0, kOpen).add(3, EventType::phase, 0, kEstablish);
  run.add(5, EventType::phase, 0, kAccepted).add(5.5, EventType::phase, 0, kOpen);
  run.add(7, EventType::phase, 1, kOpen).add(8.5, EventType::phase, 0, kEstablish).end(20);
  const RunObservation observed = run.observed();
  EXPECT_THAT(observed.phases_s[kOpen], ElementsAre(DoubleEq(3)));
  EXPECT_THAT(observed.phases_s[kEstablish], ElementsAre(DoubleEq(2)));
  EXPECT_THAT(observed.phases_s[kAccepted], ElementsAre(DoubleEq(0.5)));
}

TEST(FidelityObservation, KeepsEachViolationOnce) {
  MadeRun run;
  oracle::Violation violation;
  violation.property = "termination";
  violation.rule = "no-progress";
  violation.level = "ledger";
  run.result().verdict.outcome = oracle::Outcome::fail;
  run.result().verdict.violations = {violation, violation};
  const RunObservation observed = run.observed();
  EXPECT_THAT(observed.signatures, ElementsAre(violation.signature()));
}

// A line holds everything under the names of the description.
TEST(FidelityObservation, WritesALine) {
  MadeRun run;
  run.add(2, EventType::decide, 0).add(5, EventType::decide, 0).propose(0, 0, 0, 1).end(6);
  const std::string line = to_json_line(run.observed(), run.measures(), "live");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["side"], "live");
  EXPECT_EQ(json["outcome"], "pass");
  EXPECT_EQ(json["messages"]["ProposeSet0"], 2);
  EXPECT_EQ(json["messages"]["Validation"], 0);
  EXPECT_EQ(json["intervals_s"][0], 3.0);
  EXPECT_TRUE(json["phases_s"].contains("establish"));
  EXPECT_FALSE(json.contains("cut"));
}

}  // namespace
}  // namespace dissensus::fidelity
