// The library beside the model of Raft (specs/raft): what it does that the model does not admit is
// known by the guard that refuses it, and with these guards taken away nothing is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/mapping.h"
#include "conform/workflow.h"
#include "systems/simulated/simulated.h"

namespace dissensus::libraft {
namespace {

using testing::HasSubstr;

class LibraftConformance : public testing::Test {
 protected:
  /// The first finding of a number of runs, each with inputs of its own.
  std::optional<conform::ConformanceFinding> compare(
      int runs, const std::vector<std::pair<std::string, std::string>>& constants) {
    conform::Conformance conformance(mapping_, {{}, constants, {}}, 1, simulated_systems());
    std::optional<conform::ConformanceFinding> finding;
    for (int i = 0; i < runs && !finding; ++i) finding = conformance.workflow_one({2, 1});
    steps_ = conformance.counters().steps;
    return finding;
  }

  const conform::Mapping mapping_ =
      conform::load_mapping(DISSENSUS_SOURCE_DIR "/specs/raft/mapping.toml");
  std::uint64_t steps_ = 0;
};

// Figure 8 of the paper begins with such a commit.
TEST_F(LibraftConformance, EntriesOfEarlierTermsAreCommittedByCounting) {
  const auto finding = compare(20, {});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->violation.type, conform::Violation::Type::type_one);
  EXPECT_THAT(finding->violation.action, HasSubstr("Commit("));
  ASSERT_FALSE(finding->violation.guards.empty());
  EXPECT_THAT(finding->violation.guards.front().text, HasSubstr("CountsOlderTerms"));
}

TEST_F(LibraftConformance, ApartFromWhatIsKnownItConforms) {
  const auto finding = compare(15, {{"CountsOlderTerms", "TRUE"},
                                    {"ChangesEarly", "TRUE"},
                                    {"StandsAgain", "TRUE"},
                                    {"AcknowledgesMore", "TRUE"}});
  EXPECT_FALSE(finding) << to_text(finding->violation);
  EXPECT_GT(steps_, 5'000u);
}

}  // namespace
}  // namespace dissensus::libraft
