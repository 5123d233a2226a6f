#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;

// Gene order for two nodes: Proposal 0>1, Proposal 1>0, Commit 0>1, Commit 1>0.
Schedule delays(std::vector<std::uint32_t> values) {
  Schedule schedule;
  schedule.scheduler = DelaySchedule{std::move(values)};
  return schedule;
}

TEST(MakeInterposer, AnEmptyScheduleNeedsNone) {
  EXPECT_EQ(make_interposer({}, 3, 2), nullptr);
}

// ---- delays

// Thesis Figure 3.4: the messages of Figure 3.3 in the order of time of sending plus delay.
TEST(DelayScheduler, ReordersAsInFigure34) {
  ScriptedRun run(2, delays({0, 900, 300, 50}),
                  {send(100, 1, 0, kProposal, 1), send(200, 0, 1, kProposal, 2),
                   send(600, 1, 0, kCommit, 3), send(650, 0, 1, kCommit, 4)});
  EXPECT_EQ(run.run(), (Lines{"200ms deliver Proposal#2 0>1", "650ms deliver Commit#3 1>0",
                              "950ms deliver Commit#4 0>1", "1s deliver Proposal#1 1>0"}));
}

TEST(DelayScheduler, TheLinksTimeComesOnTop) {
  ScriptedRun run(2, delays({0, 0, 300, 0}), {send(5, 0, 1, kCommit, 1)}, milliseconds(20));
  EXPECT_EQ(run.run(), (Lines{"325ms deliver Commit#1 0>1"}));
}

TEST(DelayScheduler, NothingIsDelayedAfterThePhaseEnds) {
  ScriptedRun run(2, delays({300, 300, 300, 300}),
                  {send(5, 0, 1, kCommit, 1), end_fault_phase(10), send(20, 0, 1, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"20ms deliver Commit#2 0>1", "305ms deliver Commit#1 0>1"}));
}

// ---- drops

TEST(DropFault, LosesTheMessagesThatMatchWithinItsTime) {
  const DropFault fault{{0, 1, kCommit}, during(10, 20), std::nullopt};
  ScriptedRun run(
      3, with_faults({fault}),
      {send(9, 0, 1, kCommit, 1), send(10, 0, 1, kCommit, 2), send(10, 0, 1, kProposal, 3),
       send(10, 0, 2, kCommit, 4), send(11, 2, 1, kCommit, 5), send(20, 0, 1, kCommit, 6)});
  EXPECT_EQ(run.run(), (Lines{"9ms deliver Commit#1 0>1", "10ms drop Commit#2 0>1 schedule",
                              "10ms deliver Proposal#3 0>1", "10ms deliver Commit#4 0>2",
                              "11ms deliver Commit#5 2>1", "20ms deliver Commit#6 0>1"}));
}

TEST(DropFault, StopsAfterItsCount) {
  ScriptedRun run(
      2, with_faults({DropFault{{}, {}, 2}}),
      {send(1, 0, 1, kCommit, 1), send(2, 0, 1, kProposal, 2), send(3, 0, 1, kCommit, 3)});
  EXPECT_EQ(run.run(), (Lines{"1ms drop Commit#1 0>1 schedule", "2ms drop Proposal#2 0>1 schedule",
                              "3ms deliver Commit#3 0>1"}));
}

// One message uses up the count of one fault only: two faults of count 1 lose two messages.
TEST(DropFault, TheFirstMatchingFaultPays) {
  ScriptedRun run(
      2, with_faults({DropFault{{}, {}, 1}, DropFault{{}, {}, 1}}),
      {send(1, 0, 1, kCommit, 1), send(2, 0, 1, kCommit, 2), send(3, 0, 1, kCommit, 3)});
  EXPECT_EQ(run.run(), (Lines{"1ms drop Commit#1 0>1 schedule", "2ms drop Commit#2 0>1 schedule",
                              "3ms deliver Commit#3 0>1"}));
}

TEST(DropFault, ByRoundFollowsTheRoundOfTheSender) {
  ScriptedRun run(2, with_faults({DropFault{{}, in_rounds(3, 5), std::nullopt}}),
                  {send(1, 0, 1, kCommit, 1), enter_round(2, 0, 3), send(2, 0, 1, kCommit, 2),
                   send(3, 1, 0, kCommit, 3), enter_round(4, 0, 4), send(4, 0, 1, kCommit, 4),
                   enter_round(5, 0, 5), send(5, 0, 1, kCommit, 5)});
  EXPECT_EQ(run.run(), (Lines{"1ms deliver Commit#1 0>1", "2ms drop Commit#2 0>1 schedule",
                              "3ms deliver Commit#3 1>0", "4ms drop Commit#4 0>1 schedule",
                              "5ms deliver Commit#5 0>1"}));
}

// ---- duplicates

TEST(DuplicateFault, ACopyArrivesLaterByTheGap) {
  const DuplicateFault fault{{std::nullopt, std::nullopt, kProposal}, {}, 1, milliseconds(30)};
  ScriptedRun run(
      2, with_faults({fault}),
      {send(1, 0, 1, kCommit, 1), send(2, 0, 1, kProposal, 2), send(3, 0, 1, kProposal, 3)},
      milliseconds(10));
  EXPECT_EQ(run.run(), (Lines{"2ms duplicate Proposal#2 0>1", "11ms deliver Commit#1 0>1",
                              "12ms deliver Proposal#2 0>1", "13ms deliver Proposal#3 0>1",
                              "42ms deliver Proposal#2 0>1"}));
}

TEST(DuplicateFault, EachMatchingFaultMakesACopyAndDelaysApply) {
  Schedule schedule = delays({100, 0, 0, 0});
  schedule.faults = {DuplicateFault{{}, {}, std::nullopt, milliseconds(30)},
                     DuplicateFault{{}, {}, std::nullopt, milliseconds(0)}};
  ScriptedRun run(2, schedule, {send(1, 0, 1, kProposal, 1)});
  EXPECT_EQ(run.run(), (Lines{"1ms duplicate Proposal#1 0>1", "1ms duplicate Proposal#1 0>1",
                              "101ms deliver Proposal#1 0>1", "101ms deliver Proposal#1 0>1",
                              "131ms deliver Proposal#1 0>1"}));
}

TEST(DuplicateFault, ADroppedMessageIsNotDuplicated) {
  ScriptedRun run(2, with_faults({DuplicateFault{}, DropFault{}}), {send(1, 0, 1, kProposal, 1)});
  EXPECT_EQ(run.run(), (Lines{"1ms drop Proposal#1 0>1 schedule"}));
}

// ---- delays

// One message of many, whatever the scheduler does with the others.
TEST(DelayFault, ASingleMessageIsLate) {
  DelayFault fault{{0, 1, kCommit}, during(2, 3), 1, milliseconds(30)};
  ScriptedRun run(2, with_faults({fault}),
                  {send(1, 0, 1, kCommit, 1), send(2, 1, 0, kCommit, 2), send(2, 0, 1, kCommit, 3),
                   send(2, 0, 1, kCommit, 4), send(3, 0, 1, kCommit, 5)});
  EXPECT_EQ(run.run(), (Lines{"1ms deliver Commit#1 0>1", "2ms deliver Commit#4 0>1",
                              "2ms deliver Commit#2 1>0", "3ms deliver Commit#5 0>1",
                              "32ms deliver Commit#3 0>1"}));
}

TEST(DelayFault, AddsToTheSchedulerAndReachesCopies) {
  Schedule schedule = delays({100, 0, 0, 0});
  schedule.faults = {DuplicateFault{{}, {}, std::nullopt, milliseconds(5)},
                     DelayFault{{}, {}, std::nullopt, milliseconds(30)},
                     DelayFault{{}, {}, 1, milliseconds(1)}};
  ScriptedRun run(2, schedule, {send(1, 0, 1, kProposal, 1)});
  EXPECT_EQ(run.run(), (Lines{"1ms duplicate Proposal#1 0>1", "132ms deliver Proposal#1 0>1",
                              "137ms deliver Proposal#1 0>1"}));
}

// ---- partitions

TEST(PartitionFault, SeparatesGroupsForItsTime) {
  ScriptedRun run(
      4, with_faults({PartitionFault{{{0, 1}}, during(10, 20)}}),
      {send(9, 0, 2, kCommit, 1), send(11, 0, 2, kCommit, 2), send(12, 0, 1, kCommit, 3),
       send(13, 2, 3, kCommit, 4), send(14, 3, 1, kCommit, 5), send(21, 0, 2, kCommit, 6)});
  EXPECT_EQ(run.run(), (Lines{"9ms deliver Commit#1 0>2", "10ms partition [0, 1] [2, 3]",
                              "11ms drop Commit#2 0>2 partition", "12ms deliver Commit#3 0>1",
                              "13ms deliver Commit#4 2>3", "14ms drop Commit#5 3>1 partition",
                              "20ms heal", "21ms deliver Commit#6 0>2"}));
  EXPECT_EQ(run.sink().healed, run.sink().partitions);
}

// What a node sends while it starts is separated too.
TEST(PartitionFault, FromTheBeginningItIsThereBeforeTheNodes) {
  Window whole_run;
  ScriptedRun run(2, with_faults({PartitionFault{{{0}}, whole_run}}), {send(0, 0, 1, kCommit, 1)});
  EXPECT_EQ(run.run(), (Lines{"0s partition [0] [1]", "0s drop Commit#1 0>1 partition"}));
}

TEST(PartitionFault, OverlappingPartitionsHealOneByOne) {
  ScriptedRun run(
      3,
      with_faults({PartitionFault{{{0}}, during(10, 30)}, PartitionFault{{{1}}, during(20, 40)}}),
      {send(25, 0, 2, kCommit, 1), send(25, 1, 2, kCommit, 2), send(35, 0, 2, kCommit, 3),
       send(35, 1, 2, kCommit, 4)});
  EXPECT_EQ(
      run.run(),
      (Lines{"10ms partition [0] [1, 2]", "20ms partition [1] [0, 2]",
             "25ms drop Commit#1 0>2 partition", "25ms drop Commit#2 1>2 partition", "30ms heal",
             "35ms drop Commit#4 1>2 partition", "35ms deliver Commit#3 0>2", "40ms heal"}));
  EXPECT_EQ(run.sink().healed, run.sink().partitions);
}

TEST(PartitionFault, ByRoundSeparatesSendersInsideTheRounds) {
  ScriptedRun run(2, with_faults({PartitionFault{{{0}}, in_rounds(2, 3)}}),
                  {enter_round(10, 0, 2), send(11, 0, 1, kCommit, 1), send(12, 1, 0, kCommit, 2),
                   enter_round(20, 1, 2), enter_round(30, 0, 3), send(31, 0, 1, kCommit, 3),
                   send(32, 1, 0, kCommit, 4), enter_round(40, 1, 3), send(41, 1, 0, kCommit, 5)});
  EXPECT_EQ(run.run(),
            (Lines{"10ms partition [0] [1]", "11ms drop Commit#1 0>1 partition",
                   "12ms deliver Commit#2 1>0", "31ms deliver Commit#3 0>1",
                   "32ms drop Commit#4 1>0 partition", "40ms heal", "41ms deliver Commit#5 1>0"}));
}

// Nodes that have reported no round are in round 0.
TEST(PartitionFault, ByRoundZeroActsFromTheBeginning) {
  ScriptedRun run(2, with_faults({PartitionFault{{{0}}, in_rounds(0, 1)}}),
                  {send(1, 0, 1, kCommit, 1), enter_round(2, 0, 1), enter_round(2, 1, 1),
                   send(3, 0, 1, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"0s partition [0] [1]", "1ms drop Commit#1 0>1 partition", "2ms heal",
                              "3ms deliver Commit#2 0>1"}));
}

// A partition is looked at before drop faults: it does not use up their count.
TEST(PartitionFault, ComesBeforeDropFaults) {
  ScriptedRun run(2, with_faults({DropFault{{}, {}, 1}, PartitionFault{{{0}}, during(0, 10)}}),
                  {send(5, 0, 1, kCommit, 1), send(15, 0, 1, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"0s partition [0] [1]", "5ms drop Commit#1 0>1 partition",
                              "10ms heal", "15ms drop Commit#2 0>1 schedule"}));
}

// ---- crashes

TEST(CrashFault, StopsTheNodeAndRestartsIt) {
  ScriptedRun run(
      2, with_faults({CrashFault{1, milliseconds(10), std::nullopt, milliseconds(10)}}),
      {send(5, 0, 1, kCommit, 1), send(15, 0, 1, kCommit, 2), send(25, 0, 1, kCommit, 3),
       send(16, 1, 0, kCommit, 4), send(26, 1, 0, kCommit, 5)});
  EXPECT_EQ(run.run(),
            (Lines{"5ms deliver Commit#1 0>1", "10ms crash 1", "15ms drop Commit#2 0>1 crashed",
                   "20ms restart 1", "25ms deliver Commit#3 0>1", "26ms deliver Commit#5 1>0"}));
}

TEST(CrashFault, WithoutRestartTheNodeStaysDownEvenAfterThePhase) {
  ScriptedRun run(2, with_faults({CrashFault{1, milliseconds(10), std::nullopt, std::nullopt}}),
                  {end_fault_phase(20), send(30, 0, 1, kCommit, 1)});
  EXPECT_EQ(run.run(), (Lines{"10ms crash 1", "30ms drop Commit#1 0>1 crashed"}));
}

TEST(CrashFault, AtTheBeginningTheNodeNeverStarts) {
  ScriptedRun run(2, with_faults({CrashFault{1, Duration{}, std::nullopt, milliseconds(5)}}),
                  {send(1, 1, 0, kCommit, 1), send(6, 1, 0, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"0s crash 1", "5ms restart 1", "6ms deliver Commit#2 1>0"}));
}

// The crash is part of the step that enters the round: what follows in it is not sent.
TEST(CrashFault, ByRoundHappensAtTheMomentOfEntering) {
  ScriptedRun run(2, with_faults({CrashFault{0, std::nullopt, 3, milliseconds(10)}}),
                  {enter_round(1, 0, 2), send(1, 0, 1, kCommit, 1), send(5, 0, 1, kCommit, 2),
                   enter_round(5, 0, 3), send(5, 0, 1, kCommit, 3), enter_round(20, 0, 4),
                   send(20, 0, 1, kCommit, 4)});
  EXPECT_EQ(run.run(), (Lines{"1ms deliver Commit#1 0>1", "5ms crash 0", "5ms deliver Commit#2 0>1",
                              "15ms restart 0", "20ms deliver Commit#4 0>1"}));
}

TEST(CrashFault, ByRoundHappensAlsoWhenTheRoundIsSkippedAndOnlyOnce) {
  ScriptedRun run(
      2, with_faults({CrashFault{0, std::nullopt, 3, milliseconds(1)}}),
      {enter_round(1, 0, 2), enter_round(5, 0, 7), enter_round(9, 0, 8), enter_round(9, 1, 3)});
  EXPECT_EQ(run.run(), (Lines{"5ms crash 0", "6ms restart 0"}));
}

// The second crash finds the node down: it neither prolongs nor shortens the first.
TEST(CrashFault, ACrashOfANodeThatIsDownHasNoEffect) {
  ScriptedRun run(2,
                  with_faults({CrashFault{1, milliseconds(10), std::nullopt, milliseconds(50)},
                               CrashFault{1, milliseconds(20), std::nullopt, milliseconds(10)}}),
                  {send(35, 0, 1, kCommit, 1)});
  EXPECT_EQ(run.run(), (Lines{"10ms crash 1", "35ms drop Commit#1 0>1 crashed", "60ms restart 1"}));
}

// ---- the end

TEST(PhaseEnd, EndsEveryFaultAtOnce) {
  ScriptedRun run(
      3,
      with_faults({PartitionFault{{{0}}, during(5, 1000)}, PartitionFault{{{1}}, during(50, 90)},
                   PartitionFault{{{2}}, in_rounds(1, 9)},
                   CrashFault{2, milliseconds(10), std::nullopt, milliseconds(500)},
                   CrashFault{1, milliseconds(60), std::nullopt, std::nullopt},
                   CrashFault{1, std::nullopt, 1, std::nullopt},
                   DropFault{{}, during(40, 100), std::nullopt},
                   DuplicateFault{{}, during(40, 100), std::nullopt, {}}}),
      {end_fault_phase(20), send(21, 0, 1, kCommit, 1), send(45, 0, 2, kCommit, 2),
       enter_round(60, 1, 1), send(61, 1, 2, kCommit, 3)});
  EXPECT_EQ(run.run(), (Lines{"5ms partition [0] [1, 2]", "10ms crash 2", "20ms heal",
                              "20ms restart 2", "21ms deliver Commit#1 0>1",
                              "45ms deliver Commit#2 0>2", "61ms deliver Commit#3 1>2"}));
}

TEST(Detach, EndsPartitionsAndRestartsNodes) {
  ScriptedRun run(
      2,
      with_faults({PartitionFault{{{0}}, during(5, 1000)},
                   CrashFault{1, milliseconds(10), std::nullopt, milliseconds(500)}}),
      {call(20, [](sim::World& world) { world.request_stop(); }), send(30, 0, 1, kCommit, 1)});
  run.run();
  run.world().replace_interposer(nullptr);
  EXPECT_EQ(run.run(), (Lines{"5ms partition [0] [1]", "10ms crash 1", "20ms heal",
                              "20ms restart 1", "30ms deliver Commit#1 0>1"}));
}

// A schedule that takes over in mid-run acts from then on: running spans at once, past crashes not.
TEST(Attach, InMidRunThePastIsThePast) {
  const Schedule second =
      with_faults({PartitionFault{{{0}}, during(5, 40)}, PartitionFault{{{1}}, during(5, 15)},
                   CrashFault{1, milliseconds(10), std::nullopt, std::nullopt},
                   CrashFault{1, milliseconds(50), std::nullopt, std::nullopt}});
  const auto interposer = make_interposer(second, 2, 2);
  ScriptedRun run(2, Schedule{},
                  {call(20, [](sim::World& world) { world.request_stop(); }),
                   send(30, 0, 1, kCommit, 1), send(45, 0, 1, kCommit, 2)});
  EXPECT_TRUE(run.run().empty());
  run.world().replace_interposer(interposer.get());
  EXPECT_EQ(run.run(), (Lines{"20ms partition [0] [1]", "30ms drop Commit#1 0>1 partition",
                              "40ms heal", "45ms deliver Commit#2 0>1", "50ms crash 1"}));
}

// The same schedule and script give the same events: nothing depends on memory or on earlier runs.
TEST(ScheduleInterposer, RunsAreRepeatable) {
  Random random(5);
  std::vector<Step> script;
  for (int i = 0; i < 300; ++i) {
    const auto from = static_cast<NodeId>(random.below(3));
    const auto to = static_cast<NodeId>((from + 1 + random.below(2)) % 3);
    script.push_back(send(3 * i, from, to, static_cast<MessageKind>(random.below(2)),
                          static_cast<std::uint64_t>(i)));
  }
  Schedule schedule =
      with_faults({DropFault{{}, during(50, 90), 5}, PartitionFault{{{2}}, during(200, 300)},
                   DuplicateFault{{}, during(300, 600), 20, milliseconds(7)},
                   CrashFault{1, milliseconds(400), std::nullopt, milliseconds(50)}});
  schedule.scheduler = PrioritySchedule{{5, 3, 12, 1, 7, 9, 2, 11, 4, 10, 6, 8}, {}};
  ScriptedRun first(3, schedule, script);
  ScriptedRun second(3, schedule, script);
  const Lines lines = first.run();
  EXPECT_GT(lines.size(), 280u);
  EXPECT_EQ(lines, second.run());
}

}  // namespace
}  // namespace dissensus::faults
