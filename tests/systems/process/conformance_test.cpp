// A program in Python beside the model of Raft (specs/raft): its steps and states are those of the
// model, and a mistake is refused at the step that the model does not allow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/mapping.h"
#include "conform/workflow.h"
#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::HasSubstr;

class RaftConformance : public ::testing::Test {
 protected:
  /// The first finding of a number of runs, each with inputs of its own.
  std::optional<conform::ConformanceFinding> compare(int runs, const std::string& mistake) {
    const std::string command =
        fmt::format(R"(["/usr/bin/python3", "{}", "--steps", "--mistake", "{}"])",
                    source("examples/nodes/python/raft.py"), mistake);
    conform::Conformance conformance(mapping_, {{{"system.command", command}}, {}, {}}, 1,
                                     systems_);
    std::optional<conform::ConformanceFinding> finding;
    for (int i = 0; i < runs && !finding; ++i) finding = conformance.workflow_one({2, 1});
    steps_ = conformance.counters().steps;
    return finding;
  }

  const SystemRegistry systems_ = registry();
  const conform::Mapping mapping_ = conform::load_mapping(source("specs/raft/python.toml"));
  std::uint64_t steps_ = 0;
};

TEST_F(RaftConformance, WithoutAMistakeTheProgramDoesWhatTheModelAllows) {
  const auto finding = compare(10, "none");
  EXPECT_FALSE(finding) << to_text(finding->violation);
  EXPECT_GT(steps_, 1'000u);
}

TEST_F(RaftConformance, CommittingOlderTermsByCountingIsRefusedAtThatStep) {
  const auto finding = compare(30, "counting");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, conform::Violation::Type::type_one);
  EXPECT_THAT(finding->violation.event, HasSubstr("commit("));
  EXPECT_THAT(finding->violation.action, HasSubstr("Commit("));
  ASSERT_FALSE(finding->violation.guards.empty());
  EXPECT_THAT(finding->violation.guards.front().text, HasSubstr("CountsOlderTerms"));
}

}  // namespace
}  // namespace dissensus::process
