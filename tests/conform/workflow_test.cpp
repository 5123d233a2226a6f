// Model and implementation against each other, on a token ring whose every answer is known.
#include "conform/workflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/compare.h"
#include "conform/finding_file.h"
#include "conform/mutation.h"
#include "conform/token_ring.h"
#include "systems/simulated/simulated.h"

namespace dissensus::conform {
namespace {

using test::ring_registry;
using test::RingFiles;
using testing::ElementsAre;
using testing::HasSubstr;

class WorkflowTest : public testing::Test {
 protected:
  Conformance conformance(const Variant& variant = {}) {
    mapping_ = load_mapping(files_.mapping());
    return Conformance(mapping_, variant, 1, ring_registry());
  }
  static Variant with(const std::string& key) { return {{{"system." + key, "true"}}, {}, {}}; }

  RingFiles files_;
  Mapping mapping_;
};

TEST_F(WorkflowTest, CorrectSystemConformsBothWays) {
  Conformance conformance = this->conformance();
  EXPECT_FALSE(conformance.workflow_one({1, 5}));
  EXPECT_FALSE(conformance.workflow_two({10, 100}));
  EXPECT_FALSE(conformance.conform(5, 100));
  EXPECT_GT(conformance.counters().steps, 1000u);
  EXPECT_THAT(conformance.coverage().events_never_seen, ElementsAre());
  EXPECT_THAT(conformance.coverage().actions_never_seen, ElementsAre());
}

// "No violation" says nothing about a guard that was never the one that decided.
TEST_F(WorkflowTest, GuardsThatNeverDecidedAreNamed) {
  const auto reached = [](Conformance& conformance) {
    GuardCoverage guards;
    conformance.watch_guards(guards);
    EXPECT_FALSE(conformance.workflow_two({6, 100}));
    return guards.summary();
  };
  Conformance plain = conformance();
  const GuardCoverage::Summary summary = reached(plain);
  EXPECT_EQ(summary.actions_taken, 2u);
  EXPECT_EQ(summary.actions, 2u);
  EXPECT_EQ(summary.pairs_taken, 2u) << "Pass and Take in turn";
  EXPECT_EQ(summary.pairs, 4u);
  EXPECT_EQ(summary.guards_decided, 3u);
  EXPECT_EQ(summary.guards, 4u);
  EXPECT_THAT(summary.never_decided, ElementsAre(testing::StartsWith("Pass: hops < Limit  (")));
  // Where the walk comes to its end, the guard decides.
  Conformance ends = conformance({{}, {{"Limit", "20"}}, {}});
  EXPECT_THAT(reached(ends).never_decided, ElementsAre());
  // The author of a mapping may say that a guard cannot decide, but not of one that is none.
  Mapping mapping = load_mapping(files_.mapping());
  mapping.implied_guards = {"Pass: hops < Limit"};
  Conformance said(mapping, {}, 1, ring_registry());
  const GuardCoverage::Summary with_said = reached(said);
  EXPECT_THAT(with_said.implied, ElementsAre("Pass: hops < Limit"));
  EXPECT_EQ(with_said.guards, 3u);
  mapping.implied_guards = {"Pass: hops < 7"};
  Conformance wrong(mapping, {}, 1, ring_registry());
  EXPECT_THROW(reached(wrong), InputError);
}

// The second token is taken when the model has none under way: the guard is named with its values.
TEST_F(WorkflowTest, DoingWhatTheModelForbidsIsTypeOneAndNamesTheGuard) {
  Conformance conformance = this->conformance(with("doubles"));
  const auto finding = conformance.workflow_one({1, 5});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, Violation::Type::type_one);
  EXPECT_THAT(finding->violation.action, HasSubstr("Take("));
  ASSERT_FALSE(finding->violation.guards.empty());
  EXPECT_THAT(finding->violation.guards.front().text, HasSubstr("holder = 0"));
  EXPECT_THAT(to_text(finding->violation), HasSubstr("Ring.tla:"));
  // Driven by the model, the implementation is never asked to take it twice.
  EXPECT_FALSE(this->conformance(with("doubles")).workflow_two({10, 100}));
}

TEST_F(WorkflowTest, NotDoingWhatTheModelAllowsIsTypeTwoOnly) {
  Conformance conformance = this->conformance(with("forgets"));
  EXPECT_FALSE(conformance.workflow_one({1, 5}));
  const auto finding = conformance.workflow_two({10, 100});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, Violation::Type::type_two);
  EXPECT_EQ(finding->violation.action, "Pass(2)");
}

TEST_F(WorkflowTest, DifferenceOfViewsSaysBothValues) {
  Conformance conformance = this->conformance(with("miscounts"));
  const auto finding = conformance.workflow_one({1, 9});
  ASSERT_TRUE(finding);
  ASSERT_EQ(finding->violation.differences.size(), 1u);
  EXPECT_EQ(finding->violation.differences[0].view, "hops");
  EXPECT_EQ(finding->violation.differences[0].model, "2");
  EXPECT_EQ(finding->violation.differences[0].implementation, "3");
}

// A finding is shrunk to the steps that show it, survives a file, and is found again from there.
TEST_F(WorkflowTest, FindingsAreShrunkWrittenAndRepeated) {
  Conformance conformance = this->conformance(with("miscounts"));
  auto finding = conformance.workflow_two({10, 100});
  ASSERT_TRUE(finding);
  conformance.shrink(*finding);
  EXPECT_TRUE(finding->is_script);
  EXPECT_THAT(finding->labels, ElementsAre("Pass(1)", "Take(2)", "Pass(2)", "Take(3)"));
  const Variant variant = with("miscounts");
  files_.write("finding.json", to_json({files_.mapping(), variant, *finding}));
  const FindingFile file = read_finding(files_.path("finding.json"));
  EXPECT_EQ(file.variant.settings, variant.settings);
  const auto again = this->conformance(file.variant).repeat(file.finding);
  ASSERT_TRUE(again);
  EXPECT_TRUE(is_same_kind(*again, finding->violation));
  // Without the fault the same steps pass.
  EXPECT_FALSE(this->conformance().repeat(file.finding));
}

TEST_F(WorkflowTest, ShrinksWhatWorkflowOneFound) {
  Conformance conformance = this->conformance(with("doubles"));
  auto finding = conformance.workflow_one({1, 5});
  ASSERT_TRUE(finding);
  conformance.shrink(*finding);
  EXPECT_LE(finding->labels.size(), 5u);
  EXPECT_TRUE(conformance.repeat(*finding));
}

// The judgement on the implementation's own state comes before the question to the model, which
// would allow the step.
TEST_F(WorkflowTest, PropertiesAreJudgedOnTheImplementationsState) {
  const auto write = [&](const std::string& property) {
    files_.write("mapping.toml",
                 "properties = [\"" + property + "\"]\n" +
                     test::mapping_with("[[replay]]",
                                        "[abstraction]\nhops = \"nodes[1].hops\"\n[[replay]]"));
    mapping_ = load_mapping(files_.mapping());
  };
  write("FewHops");
  for (const int workflow : {1, 2}) {
    Conformance conformance(mapping_, {}, 1, ring_registry());
    const auto finding =
        workflow == 1 ? conformance.workflow_one({1, 1}) : conformance.workflow_two({10, 100});
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->violation.type, Violation::Type::property);
    EXPECT_EQ(finding->violation.property, "FewHops");
  }
  // A property that reads what the mapping does not give cannot be judged.
  write("OneHolder");
  Conformance conformance(mapping_, {}, 1, ring_registry());
  EXPECT_THROW(conformance.workflow_one({1, 1}), InputError);
}

TEST_F(WorkflowTest, SameTraceIsNotJudgedTwice) {
  files_.write("mapping.toml", test::mapping_with("from = 2, to = 6", "from = 3, to = 3"));
  Conformance conformance = this->conformance();
  EXPECT_FALSE(conformance.workflow_one({1, 4}));
  EXPECT_EQ(conformance.counters().traces, 4u);
  EXPECT_EQ(conformance.counters().same_sequence, 3u);
}

// A run is judged up to a limit; that there was more must be known to who reads "no violation".
TEST_F(WorkflowTest, RunsLongerThanTheLimitAreCounted) {
  WorkflowLimits limits;
  limits.trace_events = 10;
  Conformance correct = this->conformance();
  EXPECT_FALSE(correct.workflow_one({1, 3}, limits));
  EXPECT_EQ(correct.counters().traces, 3u);
  EXPECT_EQ(correct.counters().cut_traces, 3u);
  EXPECT_FALSE(correct.workflow_two({2, 50}, limits));
  EXPECT_EQ(correct.counters().cut_traces, 3u) << "walks have a depth, not a limit";

  // What comes after a violation is not asked for.
  Conformance wrong = this->conformance(with("miscounts"));
  const auto finding = wrong.workflow_one({1, 9}, limits);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->trace_length, 10u);
  EXPECT_LT(wrong.counters().cut_traces, wrong.counters().traces);

  Conformance repeated = this->conformance();
  EXPECT_FALSE(repeated.repeat(*finding, limits));
  EXPECT_EQ(repeated.counters().cut_traces, 1u);
  EXPECT_FALSE(repeated.repeat(*finding));
  EXPECT_EQ(repeated.counters().cut_traces, 1u) << "the whole run is within the usual limit";
}

TEST_F(WorkflowTest, ResultsDependOnTheSeedAlone) {
  Conformance first = conformance(with("miscounts"));
  const auto one = first.conform(10, 50);
  const Mapping mapping = load_mapping(files_.mapping());
  Conformance second(mapping, with("miscounts"), 1, ring_registry());
  const auto two = second.conform(10, 50);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->labels, two->labels);
  EXPECT_EQ(one->seed, two->seed);
  EXPECT_EQ(to_text(one->violation), to_text(two->violation));
}

TEST_F(WorkflowTest, GuardsOfTheModelAreListedForMutation) {
  mapping_ = load_mapping(files_.mapping());
  Pairing pairing(mapping_, {}, {3}, ring_registry());
  std::vector<std::string> guards;
  for (const tla::GuardDescription& guard : pairing.machine().spec().guards()) {
    if (!guard.is_assignment) guards.push_back(guard.at.excerpt());
  }
  EXPECT_THAT(guards, ElementsAre("holder = p", "hops < Limit", "holder = 0", "sent = p"));
}

// A model without one of its guards is another model; the judge must notice.
TEST_F(WorkflowTest, ModelWithoutAGuardIsNoticed) {
  mapping_ = load_mapping(files_.mapping());
  Pairing pairing(mapping_, {}, {3}, ring_registry());
  for (const tla::GuardDescription& guard : pairing.machine().spec().guards()) {
    if (guard.is_assignment || guard.at.excerpt() == "hops < Limit") continue;
    for (const bool negate : {false, true}) {
      Variant variant;
      variant.change =
          tla::SpecOptions::GuardChange{guard.module, guard.at.line, guard.at.column, negate};
      EXPECT_TRUE(conformance(variant).conform(5, 50)) << guard.at.excerpt() << negate;
    }
  }
}

// "Not noticed" is worth less where runs were judged in part; the sentence says so.
TEST(Mutation, ASurvivorOfRunsJudgedInPartSaysSo) {
  const Mapping mapping = load_mapping(DISSENSUS_SOURCE_DIR "/specs/dag/mapping.toml");
  MutationBudget budget;
  budget.rounds = 1;
  budget.depth = 10;
  budget.limits.trace_events = 20;
  const MutantOutcome outcome = try_mutant(mapping, {}, budget, 1, simulated_systems());
  EXPECT_FALSE(outcome.is_detected);
  EXPECT_THAT(outcome.how, HasSubstr("traces judged in part: the first 20 steps"));
}

TEST_F(WorkflowTest, ImplementationsAreComparedWithEachOther) {
  const auto system = [](const char* text) {
    return std::make_unique<test::RingSystem>(Options::from_toml(text, "ring"));
  };
  const auto correct = system("nodes = 3");
  CompareOptions options;
  options.crash_chance = 0;
  const Comparison same = compare_implementations(*correct, *system("nodes = 3"), options);
  EXPECT_FALSE(same.disagreement);
  EXPECT_EQ(same.steps, options.walks * options.depth);
  EXPECT_THAT(same.gaps(), ElementsAre());
  const auto found =
      compare_implementations(*correct, *system("nodes = 3\nmiscounts = true"), options)
          .disagreement;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 4u);
  EXPECT_EQ(found->message, "the first does take(node 2, 2, 2), the second take(node 2, 2, 3)");
  EXPECT_THROW(compare_implementations(*correct, *system("nodes = 4"), options), InputError);
}

TEST_F(WorkflowTest, ModelsAreComparedWithEachOther) {
  const auto model = [&](const std::string& limit) {
    tla::SpecOptions options;
    options.constants = {{"N", "3"}, {"Limit", limit}};
    return std::make_unique<tla::Machine>(tla::Spec::load(files_.path("Ring.tla"), {}, options));
  };
  const Comparison same = compare_models(*model("9"), *model("9"), {}, {});
  EXPECT_FALSE(same.disagreement);
  EXPECT_THAT(same.gaps(), ElementsAre());
  const auto found = compare_models(*model("9"), *model("4"), {"holder", "hops"}, {}).disagreement;
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message, HasSubstr("hops < Limit"));
  EXPECT_FALSE(compare_models(*model("4"), *model("9"), {}, {}).disagreement);  // it follows
  // A model that never moves agrees with nothing.
  const Comparison still = compare_models(*model("0"), *model("9"), {}, {});
  EXPECT_FALSE(still.disagreement);
  EXPECT_THAT(still.gaps(), ElementsAre("none of 10 walks had a step to compare"));
}

}  // namespace
}  // namespace dissensus::conform
