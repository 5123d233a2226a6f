// Faults of the environment do what they say, when they say it; plans of them survive their text.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/options.h"

#include "faults/fault_space.h"
#include "faults/kinds.h"
#include "faults/scripted_system.h"
#include "faults/words.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Link = std::pair<NodeId, NodeId>;

constexpr std::uint64_t kLeading = 1;

Window when_leading(int from_ms, int until_ms, std::uint32_t nth = 1) {
  Window window = during(from_ms, until_ms);
  window.after.emplace();
  window.after->phase = static_cast<std::uint32_t>(kLeading);
  window.after->nth = nth;
  window.after->relative = true;
  return window;
}

/// A letter on every link at a moment, numbered from `first`.
std::vector<Step> letters(std::size_t nodes, int at_ms) {
  std::vector<Step> script;
  for (NodeId from = 0; from < nodes; ++from) {
    for (NodeId to = 0; to < nodes; ++to) {
      if (from != to) script.push_back(send(at_ms, from, to, kCommit, 10u * from + to));
    }
  }
  return script;
}

/// The links on which nothing arrived.
std::set<Link> cut_links(const Fault& fault, std::size_t nodes, int at_ms) {
  ScriptedRun run(nodes, with_faults({fault}), letters(nodes, at_ms));
  std::set<Link> cut;
  for (const std::string& line : run.run()) {
    if (line.find(" drop ") == std::string::npos) continue;
    cut.insert({static_cast<NodeId>(line[line.find('>') - 1] - '0'),
                static_cast<NodeId>(line[line.find('>') + 1] - '0')});
  }
  return cut;
}

// ---- cuts

TEST(Cut, ABridgeHearsBothSides) {
  const Fault fault = CutFault{CutFault::Shape::bridge, {2, 0}, during(0, 10)};
  EXPECT_EQ(cut_links(fault, 4, 5), (std::set<Link>{{0, 1}, {1, 0}, {0, 3}, {3, 0}}));
  EXPECT_TRUE(cut_links(fault, 4, 10).empty()) << "over";
}

TEST(Cut, InARingEachHearsItsNeighbours) {
  const Fault fault = CutFault{CutFault::Shape::ring, {0, 2, 1, 3}, during(0, 10)};
  EXPECT_EQ(cut_links(fault, 4, 5), (std::set<Link>{{0, 1}, {1, 0}, {2, 3}, {3, 2}}));
}

TEST(Cut, OneWayIsUnheardButHears) {
  const Fault fault = CutFault{CutFault::Shape::one_way, {1}, during(0, 10)};
  EXPECT_EQ(cut_links(fault, 3, 5), (std::set<Link>{{1, 0}, {1, 2}}));
}

TEST(Cut, TwoCutsOfALinkAreTwo) {
  ScriptedRun run(2,
                  with_faults({CutFault{CutFault::Shape::one_way, {0}, during(0, 10)},
                               CutFault{CutFault::Shape::one_way, {0}, during(5, 20)}}),
                  {send(12, 0, 1, kCommit, 1), send(21, 0, 1, kCommit, 2)});
  EXPECT_THAT(run.run(), testing::Contains("12ms drop Commit#1 0>1 partition"));
  EXPECT_THAT(run.run(), testing::Contains("21ms deliver Commit#2 0>1"));
}

// ---- anchors

// The second node that leads is 2; it and the next one around, 0, are apart for 10 ms.
TEST(Anchor, AFaultBeginsWhenAndWhereItHappens) {
  const Fault fault = PartitionFault{{{0, 1}}, when_leading(5, 15, 2)};
  std::vector<Step> script{enter_phase(10, 1, kLeading), enter_phase(20, 2, kLeading)};
  script.push_back(send(24, 2, 1, kCommit, 1));
  script.push_back(send(26, 2, 1, kCommit, 2));
  script.push_back(send(26, 2, 0, kCommit, 3));
  script.push_back(send(36, 2, 1, kCommit, 4));
  ScriptedRun run(3, with_faults({fault}), script);
  EXPECT_EQ(run.run(), (Lines{"24ms deliver Commit#1 2>1", "25ms partition [2, 0] [1]",
                              "26ms drop Commit#2 2>1 partition", "26ms deliver Commit#3 2>0",
                              "35ms heal", "36ms deliver Commit#4 2>1"}));
}

TEST(Anchor, WhatNeverHappensStartsNothing) {
  ScriptedRun run(2, with_faults({OutageFault{{0}, when_leading(0, 5)}}),
                  {send(50, 0, 1, kCommit, 1)});
  EXPECT_EQ(run.run(), (Lines{"50ms deliver Commit#1 0>1"}));
}

TEST(Anchor, AFaultCanEndWhenItHappensAgain) {
  Window window = when_leading(0, 100);
  window.after->until_next = true;
  ScriptedRun run(3, with_faults({PartitionFault{{{0}}, window}}),
                  {enter_phase(10, 0, kLeading), send(20, 0, 1, kCommit, 1),
                   send(40, 0, 1, kCommit, 2), enter_phase(30, 1, kLeading)});
  EXPECT_EQ(run.run(), (Lines{"10ms partition [0] [1, 2]", "20ms drop Commit#1 0>1 partition",
                              "30ms heal", "40ms deliver Commit#2 0>1"}));
}

TEST(Anchor, WhatEndsBeforeItBeginsNeverDoes) {
  Window window = when_leading(50, 100);
  window.after->until_next = true;
  ScriptedRun run(
      3, with_faults({PartitionFault{{{0}}, window}}),
      {enter_phase(10, 0, kLeading), send(70, 0, 1, kCommit, 1), enter_phase(30, 1, kLeading)});
  EXPECT_EQ(run.run(), (Lines{"70ms deliver Commit#1 0>1"}));
}

// ---- nodes

TEST(Outage, NodesGoDownAndComeBackOnce) {
  ScriptedRun run(
      3, with_faults({OutageFault{{0, 1}, during(10, 20)}, OutageFault{{1}, during(15, 30)}}),
      {send(12, 2, 0, kCommit, 1), send(25, 2, 1, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"10ms crash 0", "10ms crash 1", "12ms drop Commit#1 2>0 crashed",
                              "20ms restart 0", "20ms restart 1", "25ms deliver Commit#2 2>1"}));
}

TEST(Outage, WithoutAnEndNodesStayDownEvenWhenFaultsEnd) {
  Window from_ten;
  from_ten.from = milliseconds(10);
  ScriptedRun run(2, with_faults({OutageFault{{1}, from_ten}}),
                  {end_fault_phase(20), send(30, 0, 1, kCommit, 1)});
  EXPECT_EQ(run.run(), (Lines{"10ms crash 1", "30ms drop Commit#1 0>1 crashed"}));
}

TEST(Pause, WhatArrivesAndWhatIsDueWaits) {
  ScriptedRun run(2, with_faults({PauseFault{{1}, during(10, 30)}}),
                  {send(12, 0, 1, kCommit, 1), send(15, 1, 0, kCommit, 2)});
  const std::vector<std::string>& lines = run.run();
  EXPECT_THAT(lines, testing::Contains("30ms deliver Commit#1 0>1"));
  EXPECT_THAT(lines, testing::Not(testing::Contains("15ms deliver Commit#2 1>0")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("deliver Commit#2 1>0")));
}

TEST(AnchoredSkew, TheClockIsRightAgainAfterwards) {
  SkewFault fault;
  fault.node = 0;
  fault.offset = milliseconds(50);
  fault.when = when_leading(0, 10);
  std::vector<Duration> ahead;
  ScriptedRun* running = nullptr;
  const auto look = [&](Time now) { ahead.push_back(now - running->world().now()); };
  ScriptedRun run(2, with_faults({fault}),
                  {enter_phase(10, 1, kLeading), read_clock(15, 1, look), read_clock(15, 0, look),
                   read_clock(90, 1, look)});
  running = &run;
  run.run();
  ASSERT_EQ(ahead.size(), 3u);
  std::sort(ahead.begin(), ahead.end());
  EXPECT_EQ(ahead, (std::vector<Duration>{{}, {}, milliseconds(50)}));
}

// ---- links

LinkFault unreliable(double loss, double duplicate, int jitter_ms) {
  LinkFault fault;
  fault.senders = {0};
  fault.receivers = {1};
  fault.loss = loss;
  fault.duplicate = duplicate;
  fault.jitter = milliseconds(jitter_ms);
  fault.seed = 3;
  fault.when = during(10, 20);
  return fault;
}

TEST(UnreliableLink, LosesWithinItsWindowOnItsLinkOnly) {
  ScriptedRun run(
      3, with_faults({unreliable(1, 0, 0)}),
      {send(9, 0, 1, kCommit, 1), send(10, 0, 1, kCommit, 2), send(10, 0, 2, kCommit, 3),
       send(10, 1, 0, kCommit, 4), send(21, 0, 1, kCommit, 5)});
  std::vector<std::string> lost;
  for (const std::string& line : run.run()) {
    if (line.find(" drop ") != std::string::npos) lost.push_back(line);
  }
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_THAT(lost.front(), HasSubstr("10ms drop Commit#2 0>1"));
}

TEST(UnreliableLink, DeliversTwice) {
  ScriptedRun run(2, with_faults({unreliable(0, 1, 0)}), {send(15, 0, 1, kCommit, 1)});
  const std::vector<std::string>& lines = run.run();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "15ms deliver Commit#1 0>1"), 2);
}

TEST(UnreliableLink, DelaysUpToItsJitterSoThatMessagesOvertakeEachOther) {
  std::vector<Step> script;
  for (int i = 0; i < 9; ++i)
    script.push_back(send(10 + i, 0, 1, kCommit, 1u + static_cast<unsigned>(i)));
  ScriptedRun run(2, with_faults({unreliable(0, 0, 40)}), script);
  std::vector<int> order;
  for (const std::string& line : run.run()) {
    const std::size_t number = line.find('#');
    if (number != std::string::npos) order.push_back(line[number + 1] - '0');
  }
  EXPECT_EQ(order.size(), 9u);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_LE(run.world().now() - Time{}, milliseconds(18 + 40));
}

// ---- disks

TEST(DiskFaultOfAPlan, LastsAsLongAsItsWindow) {
  DiskFault error;
  error.node = 1;
  error.trouble = DiskFault::Trouble::error;
  error.when = during(10, 20);
  DiskFault slow = error;
  slow.trouble = DiskFault::Trouble::slow;
  slow.extra = milliseconds(7);
  std::vector<std::pair<std::uint32_t, Duration>> seen;
  const auto look = [&seen](sim::World& world) {
    seen.emplace_back(world.disk_trouble(1).io_errors, world.disk_trouble(1).slow);
  };
  ScriptedRun run(2, with_faults({error, slow}), {call(5, look), call(15, look), call(25, look)});
  run.run();
  const std::vector<std::pair<std::uint32_t, Duration>> expected{
      {0, {}}, {1, milliseconds(7)}, {0, {}}};
  EXPECT_EQ(seen, expected);
}

// ---- plans

FaultSpace everything() {
  const Options options = Options::from_toml(
      "partitions = 4\ncrashes = 3\npauses = 2\nclocks = 2\nlinks = 2\ndisks = 3\n"
      "disk = [\"slow\", \"error\", \"no-space\", \"corrupt\"]\nscale = \"1s\"\nuntil = \"9s\"\n",
      "space");
  return read_fault_space(options, scripted_description(), 5, 5);
}

TEST(FaultSpace, PlansSurviveTheirText) {
  const FaultSpace space = everything();
  const SystemDescription description = scripted_description();
  std::set<std::string> types;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random(5, "plans", i);
    Schedule schedule;
    schedule.faults = random_story(space, 5, static_cast<Story>(i % kStories), random);
    for (Fault& fault : schedule.faults) {
      if (random.chance(0.5)) fault = varied_fault(fault, space, 5, random);
      types.insert(fault.kind().name);
    }
    const std::string text = to_json(schedule, description, 5);
    EXPECT_EQ(parse_schedule(text, "plan", description, 5), schedule) << text;
    EXPECT_EQ(admitted(schedule.faults, space), schedule.faults);
    EXPECT_FALSE(in_words(schedule, description, 5).empty());
  }
  EXPECT_EQ(types.size(), 7u) << "partition, cut, outage, pause, skew, links, disk";
}

TEST(FaultSpace, OfTooManyFaultsTheFirstAreAdmitted) {
  FaultSpace space = everything();
  for (FaultSpace::Family& family : space.families) family.most = 1;
  const OutageFault first{{0}, during(1, 2)};
  const OutageFault second{{1}, during(1, 2)};
  EXPECT_EQ(admitted({first, second}, space), (std::vector<Fault>{first}));
}

// By the clock as well as where a fault waits for something.
TEST(FaultSpace, NoFaultBeginsOrLastsBeyondItsEnd) {
  const Options options = Options::from_toml(
      "partitions = 4\ncrashes = 3\npauses = 2\nscale = \"1s\"\nuntil = \"2s\"\n", "space");
  const FaultSpace space = read_fault_space(options, scripted_description(), 5, 5);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Random random(11, "plans", i);
    for (Fault fault : random_story(space, 5, static_cast<Story>(i % kStories), random)) {
      for (int times = 0; times < 3; ++times) {
        const Window window = *window_of(fault);
        ASSERT_TRUE(window.until);
        EXPECT_LT(window.from, *window.until);
        if (window.after) {
          EXPECT_EQ(window.after->before, milliseconds(2000));
        } else {
          EXPECT_LE(*window.until, milliseconds(2000));
        }
        fault = varied_fault(fault, space, 5, random);
      }
    }
  }
}

TEST(Anchor, WhatHappensTooLateStartsNothingAndWhatLastsEnds) {
  Window window = when_leading(5, 100);
  window.after->before = milliseconds(30);
  const Fault fault = PartitionFault{{{0}}, window};
  ScriptedRun in_time(3, with_faults({fault}), {enter_phase(10, 0, kLeading)});
  EXPECT_EQ(in_time.run(), (Lines{"15ms partition [0] [1, 2]", "30ms heal"}));
  ScriptedRun late(3, with_faults({fault}), {enter_phase(30, 0, kLeading)});
  EXPECT_TRUE(late.run().empty());
  ScriptedRun begins_late(3, with_faults({fault}), {enter_phase(27, 0, kLeading)});
  EXPECT_TRUE(begins_late.run().empty());
}

// In a relay one fault ends as the next begins: each waits for the time after the one before.
TEST(FaultSpace, RelaysFollowEachOther) {
  const FaultSpace space = everything();
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(7, "relay", i);
    std::uint32_t last = 0;
    for (Fault& fault : random_story(space, 5, Story::relay, random)) {
      const Window& window = *window_of(fault);
      ASSERT_TRUE(window.after);
      EXPECT_TRUE(window.after->until_next);
      EXPECT_GT(window.after->nth, last);
      last = window.after->nth;
    }
    EXPECT_GT(last, 0u);
  }
}

TEST(FaultSpace, BadTablesAreRefusedWithTheirKey) {
  const auto refuse = [](const std::string& text) {
    try {
      read_fault_space(Options::from_toml(text, "space"), scripted_description(), 5, 5);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refuse("until = \"1s\""), HasSubstr("at least one of"));
  EXPECT_THAT(refuse("crashes = -1"), HasSubstr("crashes"));
  EXPECT_THAT(refuse("crashes = 1\nanchors = [\"leadin\"]"), HasSubstr("leading"));
  EXPECT_THAT(refuse("disks = 1\ndisk = []"), HasSubstr("at least one"));
  EXPECT_THAT(refuse("partitions = 1\nscale = \"1ms\""), HasSubstr("scale"));
}

}  // namespace
}  // namespace dissensus::faults
