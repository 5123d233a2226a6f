// What a run is measured by: margins that grow towards a violation, abstract states that forget who
// is who, and a runner that does not notice.
#include "search/measurement.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run/runner.h"
#include "run/scenario.h"
#include "run/schedule_space.h"
#include "search/split_table.h"
#include "search/state_set.h"
#include "systems/simulated/simulated.h"

namespace dissensus::search {
namespace {

constexpr std::string_view kScenario = R"(
format = "dissensus-scenario/1"
name = "measured"
[system]
kind = "xrpl"
nodes = 5
[schedule]
type = "delay"
[oracle.termination]
level = "ledger"
goal = 9
bound = "10s"
[limits]
virtual_time = "1min"
)";
constexpr Level kTransactionSet = 0;
constexpr Level kRoundTransaction = 1;
constexpr Level kValidation = 3;
constexpr Level kLedger = 5;

/// Feeds a Measurement with events of its own.
class Feed {
 public:
  Feed()
      : scenario_(run::parse_scenario(kScenario, "measured.toml", simulated_systems())),
        measurement_(scenario_) {}

  void reset(const NodeSet& byzantine = {}) {
    measurement_.reset(byzantine);
    now_ = {};
  }
  void at(Duration time) { now_ = Time{} + time; }
  void report(EventType type, NodeId node, Level level, std::uint64_t instance, Digest value) {
    Event event;
    event.set(type, level, node, kNoNode);
    event.number = instance;
    event.value = value;
    event.time = now_;
    measurement_.on_event(event);
  }
  /// Values by node; 0: reports nothing.
  void decide(Level level, std::uint64_t instance, const std::vector<std::uint64_t>& values,
              EventType type = EventType::decide) {
    for (std::size_t node = 0; node < values.size(); ++node) {
      if (values[node] == 0) continue;
      report(type, static_cast<NodeId>(node), level, instance, values[node]);
    }
  }
  const RunSummary& finish() {
    run::RunResult result;
    result.end = now_;
    return measurement_.summarize(result);
  }
  double disagreement() { return finish().disagreement_margin; }

 private:
  run::Scenario scenario_;
  Measurement measurement_;
  Time now_{};
};

// Phases of xrpl: 0 open, 1 establish, 2 accepted.
TEST(FailedRounds, ArePhasesThatDoNotFollow) {
  Feed feed;
  const auto phases = [&feed](NodeId node, const std::vector<std::uint64_t>& entered) {
    for (const std::uint64_t phase : entered) {
      feed.report(EventType::phase, node, 0, phase, {});
    }
  };
  phases(0, {0, 1, 2, 0, 1, 2, 0});
  EXPECT_EQ(feed.finish().failed_rounds, 0u);
  phases(1, {1, 0, 1, 0});     // gave up twice; the first phase follows nothing
  phases(2, {0, 1, 2, 1, 2});  // went back once
  EXPECT_EQ(feed.finish().failed_rounds, 3u);
  feed.reset();
  EXPECT_EQ(feed.finish().failed_rounds, 0u);
}

TEST(Behind, IsTheTimeOfThoseWhoAreNotWhereTheFirstIs) {
  Feed feed;
  using std::chrono::seconds;
  feed.at(seconds(10));
  feed.decide(kLedger, 7, {1, 1, 0, 0, 0});
  feed.at(seconds(12));
  feed.decide(kLedger, 7, {0, 0, 1, 1, 0});  // two nodes, 2 s each
  feed.at(seconds(15));
  feed.decide(kLedger, 8, {2, 0, 0, 0, 0});
  feed.at(seconds(16));
  feed.decide(kLedger, 8, {0, 2, 2, 2, 0});  // three nodes, 1 s each
  feed.at(seconds(20));                      // and the last one since 10 s
  EXPECT_EQ(feed.finish().behind, seconds(2 * 2 + 3 * 1 + 10));
}

TEST(DisagreementMargin, IsZeroWhenAllReportsAreEqualAndOneAtFork) {
  Feed feed;
  EXPECT_EQ(feed.disagreement(), 0);
  feed.decide(kTransactionSet, 7, {1, 1, 1, 1, 1});
  feed.decide(kValidation, 7, {1, 1, 1, 0, 0});
  feed.decide(kLedger, 7, {1, 1, 1, 1, 1});
  feed.decide(kLedger, 8, {2, 2, 2, 2, 2});
  EXPECT_EQ(feed.disagreement(), 0);
  feed.decide(kLedger, 9, {3, 0, 0, 0, 4});
  EXPECT_EQ(feed.disagreement(), 1);
}

TEST(DisagreementMargin, GrowsWithTheSecondGroup) {
  Feed feed;
  feed.decide(kValidation, 7, {1, 1, 1, 1, 2});
  const double one = feed.disagreement();
  feed.reset();
  feed.decide(kValidation, 7, {1, 1, 1, 2, 2});
  const double two = feed.disagreement();
  EXPECT_LT(0, one);
  EXPECT_LT(one, two);
  EXPECT_LT(two, 1);
}

TEST(DisagreementMargin, LaterLevelsCountMoreThanAllEarlierOnesTogether) {
  Feed feed;
  for (const EventType type : {EventType::propose, EventType::decide}) {
    feed.decide(kTransactionSet, 7, {1, 1, 1, 2, 2}, type);
    feed.decide(2, 7, {1, 1, 1, 2, 2}, type);
  }
  const double early = feed.disagreement();
  feed.reset();
  feed.decide(kValidation, 7, {1, 1, 1, 2, 2});
  EXPECT_LT(early, feed.disagreement());
  // And monotone: earlier splits add to it.
  const double late = feed.disagreement();
  feed.decide(kTransactionSet, 7, {1, 1, 1, 2, 2});
  EXPECT_LT(late, feed.disagreement());
}

TEST(DisagreementMargin, SplitThatHealedCountsHalf) {
  Feed feed;
  feed.decide(kTransactionSet, 7, {1, 1, 1, 2, 2}, EventType::propose);
  const double open = feed.disagreement();
  feed.decide(kTransactionSet, 7, {1, 1, 1, 1, 1}, EventType::propose);
  EXPECT_DOUBLE_EQ(feed.disagreement(), open / 2);
}

TEST(DisagreementMargin, ByzantineNodesAndLevelsWithManyValuesAreLeftOut) {
  Feed feed;
  feed.decide(kRoundTransaction, 7, {1, 2, 3, 4, 5});
  EXPECT_EQ(feed.disagreement(), 0);
  feed.reset({4});
  feed.decide(kLedger, 7, {1, 1, 1, 1, 2});
  EXPECT_EQ(feed.disagreement(), 0);
  EXPECT_EQ(feed.finish().decisions[kLedger].size(), 5u);
}

TEST(TerminationMargin, IsTheLongestWaitAsShareOfTheBound) {
  using std::chrono::seconds;
  Feed feed;
  feed.at(seconds(4));
  feed.decide(kLedger, 6, {1, 1, 1, 1, 1});
  feed.at(seconds(6));
  feed.decide(kLedger, 7, {2, 2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(feed.finish().termination_margin, 0.4);
  // A node that is still waiting at the end waits on.
  feed.at(seconds(13));
  EXPECT_DOUBLE_EQ(feed.finish().termination_margin, 0.7);
  feed.at(seconds(60));
  EXPECT_EQ(feed.finish().termination_margin, 1);
  // A node with the goal waits for nothing.
  feed.reset();
  feed.at(seconds(1));
  feed.decide(kLedger, 9, {2, 2, 2, 2, 2});
  feed.at(seconds(50));
  EXPECT_DOUBLE_EQ(feed.finish().termination_margin, 0.1);
}

TEST(AbstractStates, ForgetWhoIsWho) {
  Feed feed;
  feed.report(EventType::phase, 0, 0, 1, {});
  feed.decide(kLedger, 6, {1, 0, 0, 0, 0});
  const std::vector<std::uint64_t> first = feed.finish().states;
  feed.reset();
  feed.report(EventType::phase, 3, 0, 1, {});
  feed.decide(kLedger, 6, {0, 0, 0, 1, 0});
  EXPECT_EQ(feed.finish().states, first);
  EXPECT_EQ(first.size(), 2u);
  feed.reset();
  feed.report(EventType::phase, 3, 0, 2, {});
  EXPECT_NE(feed.finish().states, first);
  // What counts is how far apart nodes are, not how far they have come.
  feed.reset();
  feed.decide(kLedger, 6, {1, 1, 1, 1, 1});
  const std::size_t reached = feed.finish().states.size();
  feed.decide(kLedger, 7, {1, 1, 1, 1, 1});
  feed.decide(kLedger, 8, {1, 1, 1, 1, 1});
  const std::size_t later = feed.finish().states.size();
  feed.decide(kLedger, 9, {1, 1, 1, 1, 1});
  EXPECT_GT(reached, 0u);
  EXPECT_EQ(feed.finish().states.size(), later);
}

TEST(Measurement, SummarisesRealRunsWithoutChangingThem) {
  const run::Scenario scenario =
      run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/xrpl/b2.toml", simulated_systems());
  run::Runner runner;
  Measurement measurement(scenario);
  std::size_t split = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed, "schedule");
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    measurement.reset();
    run::RunOptions options;
    options.sinks = {&measurement};
    const run::RunResult result = runner.run(scenario, schedule, seed, options);
    const RunSummary& summary = measurement.summarize(result);
    EXPECT_EQ(runner.run(scenario, schedule, seed).hash, result.hash);
    EXPECT_EQ(summary.duration, result.end - Time{});
    EXPECT_EQ(summary.failed, result.verdict.outcome == oracle::Outcome::fail);
    std::uint64_t sent = 0;
    for (const std::uint64_t count : summary.sent) sent += count;
    EXPECT_EQ(sent, result.counters.sends);
    EXPECT_GE(summary.states.size(), 10u);
    EXPECT_LE(summary.states.size(), 500u);
    EXPECT_TRUE(std::is_sorted(summary.states.begin(), summary.states.end()));
    EXPECT_GE(summary.disagreement_margin, 0);
    EXPECT_LE(summary.disagreement_margin, 1);
    split += summary.disagreement_margin > 0.3 ? 1 : 0;
    // Memory that was used before leaves no trace.
    EXPECT_EQ(summarize(runner, scenario, schedule, seed).states, summary.states);
  }
  // Random delays come near a fork now and then, not always: there is something to climb.
  EXPECT_GT(split, 0u);
  EXPECT_LT(split, 30u);
}

TEST(SplitTable, GrowsAndCountsManyInstancesAndValues) {
  SplitTable table;
  table.reset(2, 20);
  for (std::uint64_t instance = 0; instance < 1000; ++instance) {
    for (NodeId node = 0; node < 20; ++node) {
      EXPECT_EQ(table.add(0, instance, node, Digest(instance)), 0);
    }
  }
  EXPECT_EQ(table.second_groups(), (std::vector<double>{0, 0}));
  for (NodeId node = 0; node < 20; ++node) {
    EXPECT_EQ(table.add(1, 5, node, Digest(node)), std::min<int>(node, SplitTable::kRanks - 1));
  }
  EXPECT_EQ(table.add(1, 6, 0, Digest(1)), 0);
  EXPECT_EQ(table.add(1, 6, 1, Digest(2)), 1);
  EXPECT_EQ(table.add(1, 6, 1, Digest(1)), 0);
  EXPECT_EQ(table.second_groups(), (std::vector<double>{0, 1}));
}

TEST(StateMemory, CountsWhatNoEarlierRunReached) {
  StateMemory memory;
  EXPECT_EQ(memory.add(std::vector<std::uint64_t>{1, 2, 3}), 3u);
  EXPECT_EQ(memory.add(std::vector<std::uint64_t>{2, 3, 4}), 1u);
  EXPECT_EQ(memory.add(std::vector<std::uint64_t>{}), 0u);
  std::vector<std::uint64_t> many(10'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i;
  EXPECT_EQ(memory.add(many), many.size() - 4);
  EXPECT_EQ(memory.add(many), 0u);
  EXPECT_EQ(memory.size(), many.size());
}

}  // namespace
}  // namespace dissensus::search
