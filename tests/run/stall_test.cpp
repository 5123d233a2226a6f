// A run that stands still for good is told from one that is slow, and only where that is shown.
#include "run/stall.h"

#include <gtest/gtest.h>

#include "sim/test_system.h"

namespace dissensus::run {
namespace {

using namespace std::chrono_literals;
using sim::Collector;
using sim::Ping;

constexpr Duration kBeat = 100ms;

/// Nodes that beat and wait for each other; what makes them differ is what they do at a beat.
struct Habits {
  bool sends = false;
  bool draws = false;
  std::uint64_t gives_up_after = 0;  ///< beats; then it decides. 0: never
  bool beats = true;
};

class BeatingNode : public Node {
 public:
  explicit BeatingNode(const Habits& habits) : habits_(habits) {}
  void start(Context& context) override {
    if (habits_.beats) context.set_timer(kBeat, 1);
  }
  void receive(Context&, NodeId from, const Message&) override { heard_ = from; }
  void timer(Context& context, TimerId, std::uint64_t) override {
    if (habits_.sends) context.broadcast(Ping{7});
    if (habits_.draws) context.random().next();
    if (habits_.gives_up_after != 0 && ++beats_ == habits_.gives_up_after) {
      context.decided(0, 1, Digest{1});
    }
    context.set_timer(kBeat, 1);
  }

 protected:
  const Habits& habits_;
  NodeId heard_ = kNoNode;
  std::uint64_t beats_ = 0;
};

class ForeseeableNode final : public BeatingNode {
 public:
  using BeatingNode::BeatingNode;
  std::optional<Digest> future(Time) const override { return Digest{heard_, beats_}; }
};

class BeatingSystem final : public System {
 public:
  BeatingSystem(const Habits& habits, bool is_foreseeable)
      : habits_(habits), is_foreseeable_(is_foreseeable) {
    description_.name = "beating";
    description_.message<Ping>("Ping").field("number", SemanticType::number, &Ping::number);
    description_.levels = {{.name = "level"}};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 3; }
  std::unique_ptr<Node> make_node(NodeId) const override {
    if (is_foreseeable_) return std::make_unique<ForeseeableNode>(habits_);
    return std::make_unique<BeatingNode>(habits_);
  }

 private:
  Habits habits_;
  bool is_foreseeable_;
  SystemDescription description_;
};

struct Told {
  std::vector<std::string> notes;
  bool saw_more = false;  ///< of what came after the end
};

/// Runs for a second, in which nobody decides, and asks.
Told told_of(const Habits& habits, bool is_foreseeable = true, const sim::LinkModel& link = {}) {
  const BeatingSystem system(habits, is_foreseeable);
  sim::WorldPlan plan = sim::full_mesh(system, link);
  plan.limits.virtual_time = 1s;
  Collector collector;
  sim::WorldMemory memory;
  sim::World world(plan, system, 1, collector, nullptr, nullptr, memory);
  const sim::StopReason stop = world.run();
  oracle::Verdict verdict;
  oracle::Violation violation;
  violation.property = "termination";
  violation.rule = stop == sim::StopReason::quiet ? "stuck" : "no-progress";
  violation.text = "nodes 0, 1, 2 decided no level within 500 ms";
  verdict.violations.push_back(violation);
  const std::size_t seen = collector.events.size();
  tell_stall_from_slowness(world, stop, verdict);
  EXPECT_EQ(verdict.violations.front().text, violation.text);
  Told told;
  for (const oracle::Violation& note : verdict.notes) {
    EXPECT_EQ(note.property, "termination");
    EXPECT_EQ(note.rule, "stalls-forever");
    told.notes.push_back(note.text);
  }
  told.saw_more = collector.events.size() != seen;
  return told;
}

TEST(Stall, IsShownWhereASituationComesAgain) {
  const Told told = told_of({});
  ASSERT_EQ(told.notes.size(), 1u);
  EXPECT_EQ(told.notes[0], "stalls forever: the situation at 1.100 s comes again every 0.100 s");
}

TEST(Stall, IsShownForTrafficThatRepeatsItself) {
  Habits habits;
  habits.sends = true;
  const Told told = told_of(habits);
  ASSERT_EQ(told.notes.size(), 1u);
  EXPECT_TRUE(told.notes[0].ends_with("comes again every 0.100 s")) << told.notes[0];
}

TEST(Stall, IsShownWhereNothingIsLeftToHappen) {
  Habits habits;
  habits.beats = false;
  EXPECT_EQ(told_of(habits).notes,
            std::vector<std::string>{"stalls forever: nothing is left to happen"});
  // That needs no promise of the nodes.
  EXPECT_EQ(told_of(habits, false).notes.size(), 1u);
}

// Ten seconds later it decides after all: nothing is said, though it looks just like a stall.
TEST(Stall, IsNotClaimedOfARunThatIsSlow) {
  Habits habits;
  habits.gives_up_after = 100;
  EXPECT_TRUE(told_of(habits).notes.empty());
}

TEST(Stall, IsNotClaimedWhereTheFutureIsOpen) {
  EXPECT_TRUE(told_of({}, false).notes.empty());  // what its nodes wait for is not known
  Habits draws;
  draws.draws = true;
  EXPECT_TRUE(told_of(draws).notes.empty());  // chance may still help
  Habits sends;
  sends.sends = true;
  sim::LinkModel jittery;
  jittery.latency = {sim::Latency::Kind::uniform, 1ms, 5ms};
  EXPECT_TRUE(told_of(sends, true, jittery).notes.empty());
}

// Looking beyond the end leaves the run as it was.
TEST(Stall, IsLookedForUnseen) {
  Habits habits;
  habits.sends = true;
  EXPECT_FALSE(told_of(habits).saw_more);
}

TEST(Stall, IsOnlyLookedForWhereTerminationIsViolated) {
  const BeatingSystem system({}, true);
  sim::WorldPlan plan = sim::full_mesh(system);
  plan.limits.virtual_time = 1s;
  Collector collector;
  sim::WorldMemory memory;
  sim::World world(plan, system, 1, collector, nullptr, nullptr, memory);
  oracle::Verdict verdict;
  tell_stall_from_slowness(world, world.run(), verdict);
  EXPECT_TRUE(verdict.notes.empty());
}

}  // namespace
}  // namespace dissensus::run
