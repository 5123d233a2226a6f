#include "systems/majority/majority.h"

#include <gtest/gtest.h>

#include "sim/test_system.h"

namespace dissensus::majority {
namespace {

using namespace std::chrono_literals;

/// Keeps who decided what; messages of this system are not Pings.
class Decisions final : public EventSink {
 public:
  void on_event(const Event& event) override {
    if (event.type == EventType::decide) values.push_back({event.node, event.number, event.value});
  }
  struct Decision {
    NodeId node;
    std::uint64_t round;
    Digest value;
  };
  std::vector<Decision> values;
};

Decisions run(const std::string& options, Duration slow_first_to_last) {
  const auto system = majority_entry().make(Options::from_toml(options, "test"));
  sim::LinkModel model;
  model.latency.a = 10ms;
  sim::WorldPlan plan = sim::full_mesh(*system, model);
  model.latency.a = slow_first_to_last;
  plan.models.push_back(model);
  plan.link_model[0 * plan.nodes + 2] = 1;  // node 0 -> node 2
  Decisions sink;
  sim::WorldMemory memory;
  sim::World(plan, *system, 1, sink, nullptr, nullptr, memory).run();
  return sink;
}

// Figure 1.1a: all three decide 1.
TEST(Majority, DecidesTheMajorityWhenMessagesArriveInOrder) {
  const Decisions decisions = run("values = [1, 1, 0]", 10ms);
  ASSERT_EQ(decisions.values.size(), 3u);
  for (const auto& decision : decisions.values) EXPECT_EQ(decision.value, Digest{1});
}

// Figure 1.1b: node 1's commit overtakes node 0's proposal, and node 2 moves on.
TEST(Majority, ACommitThatOvertakesAProposalMakesItsReceiverMoveOn) {
  const Decisions decisions = run("values = [1, 1, 0]", 100ms);
  ASSERT_EQ(decisions.values.size(), 3u);
  for (const auto& decision : decisions.values) {
    EXPECT_EQ(decision.value == Digest{1}, decision.node != 2) << decision.node;
  }
}

TEST(Majority, TheFixedVersionTakesTheCommitAtItsWord) {
  const Decisions decisions = run("values = [1, 1, 0]\nfixed = true", 100ms);
  ASSERT_EQ(decisions.values.size(), 3u);
  for (const auto& decision : decisions.values) EXPECT_EQ(decision.value, Digest{1});
}

TEST(Majority, PlaysSeveralRounds) {
  const Decisions decisions = run("values = [1, 1, 1, 0, 0]\nrounds = 4", 10ms);
  std::vector<int> per_round(4);
  for (const auto& decision : decisions.values) ++per_round[decision.round];
  EXPECT_EQ(per_round[0], 5);
}

TEST(Majority, BadOptionsAreRefused) {
  const auto make = [](const char* text) {
    majority_entry().make(Options::from_toml(text, "test"));
  };
  EXPECT_THROW(make(""), InputError);
  EXPECT_THROW(make("values = []"), InputError);
  EXPECT_THROW(make("values = [-1]"), InputError);
  EXPECT_THROW(make("values = [1]\nrounds = 0"), InputError);
}

}  // namespace
}  // namespace dissensus::majority
