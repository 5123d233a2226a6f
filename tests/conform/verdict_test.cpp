// What "no violation" may be taken for: nothing that was not compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/catalogue.h"
#include "conform/token_ring.h"
#include "conform/workflow.h"

namespace dissensus::conform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two nodes that enter and leave once, whatever the other does. Node 1 does so after a delay: what
/// each node does by itself is the same in every run, only the order differs.
class DoorNode final : public Node {
 public:
  DoorNode(NodeId id, Duration delay) : id_(id), delay_(delay) {}
  void start(Context& context) override { context.set_timer(delay_, 0); }
  void receive(Context&, NodeId, const Message&) override {}
  void timer(Context& context, TimerId, std::uint64_t tag) override {
    is_inside_ = tag == 0;
    const std::vector<StateValue> arguments{id_};
    if (context.stepping()) context.step(tag == 0 ? 0 : 1, arguments);
    if (tag == 0) context.set_timer(Duration{10'000}, 1);
  }
  void restart(Context&, const Node&) override {}
  StateValue::Record state() const override { return {{{"inside", is_inside_}}}; }

 private:
  NodeId id_;
  Duration delay_;
  bool is_inside_ = false;
};

class DoorSystem final : public System {
 public:
  explicit DoorSystem(const Options& options) : delay_ms_(options.integer("delay_ms", 1, 0, 100)) {
    description_.name = "door";
    description_.message<test::Token>("token").field("hops", SemanticType::number,
                                                     &test::Token::hops);
    description_.levels = {{.name = "hop"}};
    description_.steps = {{"enter", {"node"}}, {"leave", {"node"}}};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return 2; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<DoorNode>(id, Duration{id == 0 ? 30'000 : 1000 * delay_ms_});
  }

 private:
  std::int64_t delay_ms_;
  SystemDescription description_;
};

const SystemRegistry& door_registry() {
  static const SystemRegistry registry = [] {
    SystemRegistry made;
    made.add({"door", "no mutual exclusion",
              [](const Options& options) { return std::make_unique<DoorSystem>(options); }});
    return made;
  }();
  return registry;
}

class MutualExclusionTest : public testing::Test {
 protected:
  /// Runs whose nodes are inside one after another, then one with both inside.
  std::optional<ConformanceFinding> find(bool guard, bool property) {
    traces_ = 0;
    files_.write("door.toml",
                 "format = \"dissensus-scenario/1\"\nname = \"door\"\n[system]\nkind = \"door\"\n"
                 "[network]\nlatency = \"1ms\"\n[limits]\nvirtual_time = \"200ms\"\n");
    files_.write("Door.tla", std::string("---- MODULE Door ----\nEXTENDS Integers, FiniteSets\n"
                                         "VARIABLE inside\nInit == inside = {}\nEnter(p) == ") +
                                 (guard ? "inside = {} /\\ " : "") +
                                 "inside' = inside \\cup {p}\nLeave(p) == inside' = inside \\ {p}\n"
                                 "Next == \\E p \\in 0..1 : Enter(p) \\/ Leave(p)\n"
                                 "Exclusion == Cardinality(inside) <= 1\n====\n");
    files_.write("Door.cfg", "INIT Init\nNEXT Next\n");
    files_.write("mapping.toml",
                 std::string("format = \"dissensus-mapping/1\"\nscenario = \"door.toml\"\n"
                             "spec = \"Door.tla\"\nconfig = \"Door.cfg\"\n") +
                     (property ? "properties = [\"Exclusion\"]\n" : "") +
                     "[inputs]\ndelay_ms = { sets = \"system.delay_ms\", from = 0, to = 60 }\n"
                     "[[event]]\nname = \"enter\"\nis = \"Enter(node)\"\n"
                     "[[event]]\nname = \"leave\"\nis = \"Leave(node)\"\n"
                     "[[view]]\nname = \"inside\"\nmodel = \"node \\\\in inside\"\n"
                     "implementation = \"state.inside\"\n" +
                     (property ? "[abstraction]\n"
                                 "inside = \"{n \\\\in 0..1 : nodes[n + 1].inside}\"\n"
                               : ""));
    mapping_ = load_mapping(files_.mapping());
    // A seed whose first run passes: the others have the same steps of each node.
    std::optional<ConformanceFinding> finding;
    for (std::uint64_t seed = 1; seed <= 20 && traces_ < 2; ++seed) {
      Conformance conformance(mapping_, {}, seed, door_registry());
      finding = conformance.workflow_one({1, 1, false, 60});
      traces_ = conformance.counters().traces;
    }
    return finding;
  }

  test::RingFiles files_;
  Mapping mapping_;
  std::uint64_t traces_ = 0;
};

TEST_F(MutualExclusionTest, AGuardOverSeveralNodesIsJudgedInEveryOrder) {
  const auto finding = find(true, false);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, Violation::Type::type_one);
  EXPECT_EQ(finding->violation.guards.front().text, "inside = {}");
  EXPECT_GT(traces_, 1u) << "the first run was to pass";
}

TEST_F(MutualExclusionTest, APropertyOverSeveralNodesIsJudgedInEveryOrder) {
  const auto finding = find(false, true);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, Violation::Type::property);
  EXPECT_EQ(finding->violation.property, "Exclusion");
  EXPECT_GT(traces_, 1u) << "the first run was to pass";
  EXPECT_FALSE(find(false, false)) << "without guard and property there is nothing to break";
}

class VerdictTest : public testing::Test {
 protected:
  std::vector<std::string> gaps_of(const Conformance& conformance,
                                   const WorkflowLimits& limits = {}) {
    return gaps(conformance.counters(), limits);
  }
  Mapping mapping() { return mapping_ = load_mapping(files_.mapping()); }

  test::RingFiles files_;
  Mapping mapping_;
};

TEST_F(VerdictTest, WhatWasAskedForAndDoneLeavesNoGap) {
  mapping();
  Conformance conformance(mapping_, {}, 1, test::ring_registry());
  EXPECT_THAT(gaps_of(conformance), ElementsAre("there was no trace to judge"));
  EXPECT_FALSE(conformance.conform(3, 50));
  EXPECT_THAT(gaps_of(conformance), IsEmpty());
}

TEST_F(VerdictTest, WalksWithoutASingleStepCheckNothing) {
  files_.write("mapping.toml", std::string(test::kRingMapping) + "[weights]\nPass = 0\nTake = 0\n");
  mapping();
  Conformance two(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(two.workflow_two({10, 100}));
  EXPECT_EQ(two.counters().stopped_walks, 10u);
  EXPECT_THAT(gaps_of(two), ElementsAre("Workflow II: none of 10 walks had a step to compare"));
  // One workflow does not speak for the other.
  Conformance both(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(both.conform(2, 50));
  EXPECT_GT(both.counters().run_steps, 0u);
  EXPECT_THAT(gaps_of(both), ElementsAre("Workflow II: none of 2 walks had a step to compare"));
}

TEST_F(VerdictTest, RunsWithoutASingleStepCheckNothing) {
  files_.write("ring.toml", [] {
    std::string text(test::kRingScenario);
    const std::string from = "100ms";
    return text.replace(text.find(from), from.size(), "1us");
  }());
  mapping();
  Conformance conformance(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(conformance.workflow_one({1, 3}));
  EXPECT_THAT(gaps_of(conformance), ElementsAre("Workflow I: 3 runs had no step to judge"));
}

TEST_F(VerdictTest, WhatTimeDidNotAllowIsCounted) {
  mapping();
  WorkflowLimits limits;
  limits.seconds = 1e-9;
  Conformance two(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(two.workflow_two({500, 10}, limits));
  EXPECT_EQ(two.counters().left_out + two.counters().traces, 500u);
  EXPECT_GE(two.counters().left_out, 499u);
  EXPECT_THAT(gaps_of(two, limits).front(), HasSubstr("of 500 traces were not begun"));
  // The time is that of all rounds, not of each.
  Conformance one(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(one.workflow_one({1, 2, true, 50}, limits));
  EXPECT_GE(one.counters().left_out, 99u);
  Conformance both(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(both.conform(50, 10, limits));
  EXPECT_GE(both.counters().left_out, 99u);
}

// The same trace may fit a model with other constants, or not.
TEST_F(VerdictTest, ATraceThatPassedIsJudgedAgainByAnotherModel) {
  std::string text(test::kRingMapping);
  const std::string from = "sets = \"system.nodes\", from = 2, to = 6";
  text.replace(text.find(from), from.size(), "from = 3, to = 200");
  const std::string constant = "N = \"{nodes}\"";
  text.replace(text.find(constant), constant.size(), "Limit = \"{nodes}\"");
  files_.write("mapping.toml", text);
  mapping();
  std::optional<ConformanceFinding> finding;
  std::uint64_t traces = 0;
  for (std::uint64_t seed = 1; seed <= 20 && traces < 2; ++seed) {
    Conformance conformance(mapping_, {}, seed, test::ring_registry());
    finding = conformance.workflow_one({1, 1, false, 20});
    traces = conformance.counters().traces;
  }
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.guards.front().text, "hops < Limit");
  EXPECT_GT(traces, 1u) << "the first limit was to be large enough";
}

TEST_F(VerdictTest, StepsOfAFindingThatNobodyCanTakeAnyMoreCheckNothing) {
  mapping();
  ConformanceFinding finding;
  finding.workflow = 2;
  finding.values = {3};
  finding.is_script = true;
  finding.labels = {"Take(3)"};
  Conformance conformance(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(conformance.repeat(finding));
  EXPECT_THAT(gaps_of(conformance),
              ElementsAre("Workflow II: none of 1 walks had a step to compare"));
}

TEST_F(VerdictTest, ALimitOfTheJudgeIsAGap) {
  files_.write("Ring.tla", [] {
    std::string text(test::kRingSpec);
    const std::string from = "/\\ holder' = p\n";
    return text.replace(text.find(from), from.size(), "/\\ holder' \\in p..(p + 99)\n");
  }());
  std::string text(test::kRingMapping);
  text.resize(text.find("[[view]]"));
  files_.write("mapping.toml", text);
  mapping();
  WorkflowLimits limits;
  limits.judge.frontier_most = 20;
  Conformance conformance(mapping_, {}, 1, test::ring_registry());
  EXPECT_FALSE(conformance.workflow_one({1, 2}, limits));
  EXPECT_EQ(conformance.counters().unknown_traces, 2u);
  EXPECT_THAT(gaps_of(conformance, limits),
              ElementsAre(HasSubstr("2 of 2 traces judged in part: then more than 20 states")));
}

}  // namespace
}  // namespace dissensus::conform
