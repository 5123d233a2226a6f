// The branch baseline on observations made by hand: the two modes differ where a branch goes both
// ways.
#include "isolate/branches.h"

#include <gtest/gtest.h>

#include "dissensus/options.h"

namespace dissensus::isolate {
namespace {

constexpr std::uint8_t kFalse = 1;
constexpr std::uint8_t kTrue = 2 | 4;
constexpr std::uint8_t kTrueThenFalse = 1 | 2;

BranchData data_of(std::size_t failing, std::uint8_t failing_bits, std::size_t successful,
                   std::uint8_t successful_bits) {
  BranchData data;
  data.sites = {"site"};
  data.labels = {"bug"};
  for (std::size_t i = 0; i < failing + successful; ++i) {
    const bool fails = i < failing;
    data.runs.push_back(
        {"run", fails, fails ? 1u : 0u, {0}, {fails ? failing_bits : successful_bits}});
  }
  return data;
}

TEST(Branches, AClearBranchIsFoundByBoth) {
  const BranchData data = data_of(20, kTrue, 60, kFalse);
  for (const BranchMode mode : {BranchMode::reference, BranchMode::liblit}) {
    const std::vector<BranchFinding> findings = isolate_branches(data, mode);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(branch_name(data, findings[0]), "site is true");
    EXPECT_EQ(findings[0].cluster.size(), 20u);
    EXPECT_DOUBLE_EQ(findings[0].scores[0].f1(), 1);
    // Failure 1, Context 20/80: 2 / (1/0.75 + 1).
    EXPECT_NEAR(findings[0].importance, 2 / (1 / 0.75 + 1), 1e-12);
  }
}

// The last observation is false as in every successful run: the reference sees no difference.
TEST(Branches, AnEarlierObservationCountsOnlyForLiblit) {
  const BranchData data = data_of(20, kTrueThenFalse, 60, kFalse);
  EXPECT_TRUE(isolate_branches(data, BranchMode::reference).empty());
  const std::vector<BranchFinding> findings = isolate_branches(data, BranchMode::liblit);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(branch_name(data, findings[0]), "site is true");
}

// 2 of 4 failing and 12 of 40 successful runs: the increase of 0.05 may be chance.
TEST(Branches, LiblitWantsConfidence) {
  BranchData data = data_of(4, kTrue, 40, kTrue);
  for (std::size_t run = 0; run < data.runs.size(); ++run) {
    const bool is_true = data.runs[run].failing ? run < 2 : run < 16;
    data.runs[run].bits = {is_true ? kTrue : kFalse};
  }
  EXPECT_FALSE(isolate_branches(data, BranchMode::reference).empty());
  EXPECT_TRUE(isolate_branches(data, BranchMode::liblit).empty());
}

TEST(Branches, NeedFailingAndSuccessfulRuns) {
  EXPECT_THROW(isolate_branches(data_of(3, kTrue, 0, kTrue), BranchMode::liblit), InputError);
  EXPECT_THROW(isolate_branches(data_of(0, kTrue, 3, kTrue), BranchMode::liblit), InputError);
}

}  // namespace
}  // namespace dissensus::isolate
