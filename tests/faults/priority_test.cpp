#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "faults/priority_inbox.h"
#include "faults/release_rate.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// ---- equation 3.1, with 12 genes: 6 per second at first, within 2 to 12

TEST(ReleaseRate, BeginsAtHalfTheNumberOfGenes) {
  const ReleaseRate rate(PriorityRate{}, 12);
  EXPECT_DOUBLE_EQ(rate.per_second(), 6);
  EXPECT_EQ(rate.interval(), microseconds(166'667));
}

TEST(ReleaseRate, RisesAboveTargetTimesOverflowUpToTheMaximum) {
  ReleaseRate rate(PriorityRate{}, 12);
  for (const double expected : {7.2, 8.64, 10.368, 12.0, 12.0}) {
    rate.adjust(13);
    EXPECT_DOUBLE_EQ(rate.per_second(), expected);
  }
  EXPECT_EQ(rate.interval(), microseconds(83'333));
}

TEST(ReleaseRate, FallsBelowTargetTimesUnderflowDownToTheMinimum) {
  ReleaseRate rate(PriorityRate{}, 12);
  for (const double expected :
       {6 / 1.2, 6 / 1.44, 6 / 1.728, 6 / 2.0736, 6 / 2.48832, 6 / 2.985984, 2.0, 2.0}) {
    rate.adjust(7);
    EXPECT_DOUBLE_EQ(rate.per_second(), expected);
  }
  EXPECT_EQ(rate.interval(), milliseconds(500));
}

// The inequalities of the equation are strict: 12 is not above 10 x 1.2, 8 not below 10 x 0.8.
TEST(ReleaseRate, StaysBetweenTheThresholds) {
  ReleaseRate rate(PriorityRate{}, 12);
  for (const std::size_t size : {8u, 9u, 10u, 11u, 12u}) {
    rate.adjust(size);
    EXPECT_DOUBLE_EQ(rate.per_second(), 6);
  }
}

TEST(ReleaseRate, AnIntervalIsAtLeastAMicrosecond) {
  PriorityRate settings;
  settings.base = settings.max = 1e6;
  EXPECT_EQ(ReleaseRate(settings, 1'000'000).interval(), microseconds(1));
}

// ---- Algorithm 2

HeldTransmission numbered(EventId send) {
  return {{Message(), send, {}, 0, 1}, {}};
}

TEST(PriorityInbox, GivesTheHighestPriorityFirstAndEqualOnesInOrder) {
  PriorityInbox inbox;
  const std::uint32_t priorities[] = {2, 5, 2, 9, 5, 1};
  EventId send = 0;
  for (const std::uint32_t priority : priorities) inbox.push(priority, numbered(++send));
  std::vector<EventId> order;
  while (!inbox.empty()) order.push_back(inbox.pop().transmission.send);
  EXPECT_EQ(order, (std::vector<EventId>{4, 2, 5, 1, 3, 6}));
}

// Slots are reused; what is inside must not get mixed up.
TEST(PriorityInbox, AgreesWithASortedListUnderRandomUse) {
  Random random(7);
  PriorityInbox inbox;
  std::vector<std::pair<std::uint32_t, EventId>> list;
  for (EventId send = 1; send < 5'000; ++send) {
    const auto priority = static_cast<std::uint32_t>(random.below(20));
    inbox.push(priority, numbered(send));
    list.emplace_back(priority, send);
    while (!inbox.empty() && random.chance(0.49)) {
      const auto best = std::max_element(list.begin(), list.end(), [](auto& a, auto& b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
      });
      ASSERT_EQ(inbox.pop().transmission.send, best->second);
      list.erase(best);
    }
    ASSERT_EQ(inbox.size(), list.size());
  }
}

// Two nodes, two kinds: 4 genes, so the loop begins with 2 ticks per second. Gene order:
// Proposal 0>1, Proposal 1>0, Commit 0>1, Commit 1>0.
Schedule priorities(std::vector<std::uint32_t> values) {
  Schedule schedule;
  schedule.scheduler = PrioritySchedule{std::move(values), {}};
  return schedule;
}

// Thesis Figure 3.3, with Commit for StatusChange: <p2:PR, p1:PR, p2:SC, p1:SC> becomes
// <p1:PR, p2:SC, p1:SC, p2:PR>. The inbox stays below its target, so each interval is 1.2 times
// the one before: 500, 600, 720, 864 ms.
TEST(PriorityScheduler, ReordersAsInFigure33) {
  ScriptedRun run(2, priorities({4, 1, 2, 3}),
                  {send(100, 1, 0, kProposal, 1), send(200, 0, 1, kProposal, 2),
                   send(600, 1, 0, kCommit, 3), send(700, 0, 1, kCommit, 4)});
  EXPECT_EQ(run.run(), (Lines{"500ms deliver Proposal#2 0>1", "1100ms deliver Commit#3 1>0",
                              "1820ms deliver Commit#4 0>1", "2684ms deliver Proposal#1 1>0"}));
}

TEST(PriorityScheduler, MessagesOfOneGeneKeepTheirOrder) {
  ScriptedRun run(2, priorities({4, 1, 2, 3}),
                  {send(0, 0, 1, kProposal, 1), send(0, 0, 1, kProposal, 2)});
  EXPECT_EQ(run.run(), (Lines{"500ms deliver Proposal#1 0>1", "1100ms deliver Proposal#2 0>1"}));
}

TEST(PriorityScheduler, TheLinkTakesItsTimeAfterTheInbox) {
  ScriptedRun run(2, priorities({4, 1, 2, 3}), {send(0, 0, 1, kProposal, 1)}, milliseconds(30));
  EXPECT_EQ(run.run(), (Lines{"530ms deliver Proposal#1 0>1"}));
}

// While idle the loop keeps its beat and its rate: after the tick at 500 ms the interval is 600 ms,
// so the beats are 1100, 1700, 2300... A message sent at a beat waits for the next one.
TEST(PriorityScheduler, AnIdleLoopKeepsItsBeat) {
  ScriptedRun run(2, priorities({4, 1, 2, 3}),
                  {send(10, 0, 1, kProposal, 1), send(1800, 0, 1, kProposal, 2)});
  EXPECT_EQ(run.run(), (Lines{"500ms deliver Proposal#1 0>1", "2300ms deliver Proposal#2 0>1"}));

  ScriptedRun at_beat(2, priorities({4, 1, 2, 3}),
                      {send(10, 0, 1, kProposal, 1), send(1700, 0, 1, kProposal, 2)});
  EXPECT_EQ(at_beat.run().back(), "2300ms deliver Proposal#2 0>1");
}

// No virtual time is spent on ticks without messages: one alarm per message, and the run is quiet
// once the last one is delivered.
TEST(PriorityScheduler, AnEmptyInboxCostsNothing) {
  ScriptedRun run(2, priorities({4, 1, 2, 3}),
                  {send(10, 0, 1, kProposal, 1), send(3'000'000, 0, 1, kProposal, 2)});
  EXPECT_EQ(run.run().size(), 2u);
  // 2 starts, 2 timers, 2 alarms, 2 deliveries.
  EXPECT_EQ(run.world().counters().steps, 8u);
}

// With many messages the inbox is over its target and the loop speeds up to its maximum, 4 per
// second: the last of 100 messages goes long before 100 x 500 ms.
TEST(PriorityScheduler, AFullInboxSpeedsTheLoopUp) {
  std::vector<Step> script;
  for (std::uint64_t i = 1; i <= 100; ++i) script.push_back(send(0, 0, 1, kProposal, i));
  ScriptedRun run(2, priorities({4, 1, 2, 3}), script);
  run.run();
  EXPECT_EQ(run.sink().lines.size(), 100u);
  // Sizes after each release: 99, 98, ... Rates 2.4, 2.88, 3.456, then 4: second to fifth release.
  EXPECT_EQ(Lines(run.sink().lines.begin(), run.sink().lines.begin() + 5),
            (Lines{"500ms deliver Proposal#1 0>1", "916667us deliver Proposal#2 0>1",
                   "1263889us deliver Proposal#3 0>1", "1553241us deliver Proposal#4 0>1",
                   "1803241us deliver Proposal#5 0>1"}));
}

// Equation 3.1 looks at the inbox without the message just executed: 12 of 13 are not above the
// threshold, so the second tick comes after the first interval again; 7 of 8 are below.
TEST(PriorityScheduler, TheRateFollowsTheSizeAfterTheRelease) {
  for (const auto& [count, second] : {std::pair(13, "1s"), std::pair(8, "1100ms")}) {
    std::vector<Step> script;
    for (int i = 0; i < count; ++i) script.push_back(send(0, 0, 1, kProposal, 1));
    ScriptedRun run(2, priorities({4, 1, 2, 3}), script);
    EXPECT_EQ(run.run().at(1), fmt::format("{} deliver Proposal#1 0>1", second));
  }
}

TEST(PriorityScheduler, ASingleNodeNeedsNoPriorities) {
  ScriptedRun run(1, priorities({}), {enter_round(5, 0, 1)});
  EXPECT_TRUE(run.run().empty());
  EXPECT_EQ(run.world().round_of(0), 1u);
}

TEST(PriorityScheduler, PhaseEndReleasesTheInboxInPriorityOrder) {
  ScriptedRun run(
      2, priorities({3, 1, 2, 4}),
      {send(10, 0, 1, kCommit, 1), send(20, 0, 1, kProposal, 2), end_fault_phase(100),
       send(200, 0, 1, kCommit, 5), send(10, 1, 0, kProposal, 3), send(20, 1, 0, kCommit, 4)});
  EXPECT_EQ(run.run(), (Lines{"100ms deliver Commit#4 1>0", "100ms deliver Proposal#2 0>1",
                              "100ms deliver Commit#1 0>1", "100ms deliver Proposal#3 1>0",
                              "200ms deliver Commit#5 0>1"}));
}

TEST(PriorityScheduler, DetachDeliversAllThatIsHeld) {
  ScriptedRun run(
      2, priorities({3, 1, 2, 4}),
      {send(10, 0, 1, kCommit, 1), send(20, 0, 1, kProposal, 2),
       call(100, [](sim::World& world) { world.request_stop(); }), send(200, 0, 1, kCommit, 3)});
  EXPECT_TRUE(run.run().empty());
  run.world().replace_interposer(nullptr);
  EXPECT_EQ(run.run(), (Lines{"100ms deliver Proposal#2 0>1", "100ms deliver Commit#1 0>1",
                              "200ms deliver Commit#3 0>1"}));
}

// A run may end while messages wait; they must be gone before the run's memory is (an assertion of
// the world checks that).
TEST(PriorityScheduler, ARunMayEndWithMessagesInTheInbox) {
  ScriptedRun run(
      2, priorities({3, 1, 2, 4}),
      {send(10, 0, 1, kCommit, 1), call(100, [](sim::World& world) { world.request_stop(); })});
  EXPECT_TRUE(run.run().empty());
}

// The copy of a duplicated message waits in the inbox like its original.
TEST(PriorityScheduler, ACopyIsScheduledToo) {
  Schedule schedule = priorities({3, 1, 2, 4});
  schedule.faults.push_back(DuplicateFault{{}, {}, 1, milliseconds(30)});
  ScriptedRun run(2, schedule, {send(10, 0, 1, kCommit, 1), send(20, 0, 1, kProposal, 2)});
  EXPECT_EQ(run.run(), (Lines{"10ms duplicate Commit#1 0>1", "500ms deliver Proposal#2 0>1",
                              "1100ms deliver Commit#1 0>1", "1850ms deliver Commit#1 0>1"}));
}

}  // namespace
}  // namespace dissensus::faults
