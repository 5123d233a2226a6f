// Votes on disputed transactions (consensus.md 8.3 and 15.3).
#include "systems/xrpl/dispute.h"

#include <gtest/gtest.h>

namespace dissensus::xrpl {
namespace {

Dispute with_votes(bool ours, std::size_t yes, std::size_t no) {
  Dispute dispute(1, ours, yes + no);
  for (std::size_t peer = 0; peer < yes + no; ++peer) {
    dispute.set_vote(static_cast<NodeId>(peer), peer < yes);
  }
  return dispute;
}

// Thresholds 50, 65, 70, 95 from 0, 50, 85 and 200 percent of convergence.
TEST(Dispute, ThresholdsRise) {
  const Parameters parameters;
  const std::int64_t expected[][2] = {{0, 50},  {49, 50},  {50, 65},  {84, 65},
                                      {85, 70}, {199, 70}, {200, 95}, {500, 95}};
  for (const auto& [percent, needed] : expected) {
    EXPECT_EQ(avalanche_at(parameters, percent).percent, needed) << percent;
  }
}

// 8.3: the weight counts ourselves, and must exceed the threshold.
TEST(Dispute, WeightsOfAProposer) {
  const Parameters parameters;
  struct Row {
    bool ours;
    std::size_t yes;
    std::size_t no;
    std::int64_t converge;
    bool result;
  };
  // w = (100 yes + 100 ours) / (yes + no + 1)
  const Row rows[] = {
      {true, 1, 2, 0, false},    // 50 is not more than 50
      {true, 2, 2, 0, true},     // 60
      {false, 3, 1, 0, true},    // 60
      {false, 3, 1, 50, false},  // 60 < 65
      {true, 2, 1, 50, true},    // 75
      {true, 3, 2, 85, false},   // 66 < 70
      {true, 3, 1, 200, false},  // 80 < 95
      {false, 2, 2, 0, false},   // 40
  };
  for (const Row& row : rows) {
    Dispute dispute = with_votes(row.ours, row.yes, row.no);
    const bool changed = dispute.update_vote(parameters, row.converge, true);
    EXPECT_EQ(dispute.our_vote(), row.result) << row.yes << " to " << row.no;
    EXPECT_EQ(changed, row.ours != row.result);
  }
}

TEST(Dispute, UnopposedVotesStay) {
  const Parameters parameters;
  Dispute yes = with_votes(true, 0, 0);
  EXPECT_FALSE(yes.update_vote(parameters, 300, true));
  Dispute no = with_votes(false, 0, 4);
  EXPECT_FALSE(no.update_vote(parameters, 0, true));
  Dispute alone = with_votes(true, 4, 0);
  EXPECT_FALSE(alone.update_vote(parameters, 300, true)) << "nobody says no";
}

TEST(Dispute, ObserversFollowTheMajority) {
  const Parameters parameters;
  Dispute dispute = with_votes(false, 3, 2);
  EXPECT_TRUE(dispute.update_vote(parameters, 300, false));
  Dispute tie = with_votes(true, 2, 2);
  EXPECT_TRUE(tie.update_vote(parameters, 0, false)) << "a tie is no";
  EXPECT_FALSE(tie.our_vote());
}

TEST(Dispute, VotesChangeAndAreWithdrawn) {
  Dispute dispute = with_votes(true, 2, 1);
  EXPECT_FALSE(dispute.set_vote(0, true)) << "not new";
  EXPECT_TRUE(dispute.set_vote(0, false));
  EXPECT_EQ(dispute.yes(), 1u);
  EXPECT_EQ(dispute.no(), 2u);
  dispute.withdraw(1);
  dispute.withdraw(1);
  EXPECT_EQ(dispute.yes(), 0u);
}

// 15.3: a state lasts at least two ticks, and one step is taken at a time.
TEST(Dispute, StatesAdvanceOneByOne) {
  const Parameters parameters = parameters_of(Profile::v2_5_0);
  // 3 of 4 with us = 75 %: more than 70, less than 95: yes until the state is stuck.
  Dispute dispute = with_votes(true, 2, 1);
  std::vector<bool> votes;
  for (int tick = 0; tick < 7; ++tick) {
    dispute.update_vote(parameters, 500, true);
    votes.push_back(dispute.our_vote());
  }
  // init, mid at tick 2, late at tick 4, stuck at tick 6.
  EXPECT_EQ(votes, (std::vector<bool>{true, true, true, true, true, false, false}));
}

TEST(Dispute, StallsOnlyWhenStuckUnchangedAndLopsided) {
  const Parameters parameters = parameters_of(Profile::v2_5_0);
  Dispute dispute = with_votes(false, 1, 8);
  for (int tick = 0; tick < 6; ++tick) dispute.update_vote(parameters, 500, true);
  EXPECT_FALSE(dispute.is_stalled(parameters, true, 10)) << "just became stuck";
  dispute.update_vote(parameters, 500, true);
  dispute.update_vote(parameters, 500, true);
  EXPECT_TRUE(dispute.is_stalled(parameters, true, 10)) << "10 % yes, nothing moves";
  Dispute even = with_votes(false, 4, 4);
  for (int tick = 0; tick < 10; ++tick) even.update_vote(parameters, 500, true);
  EXPECT_FALSE(even.is_stalled(parameters, true, 10)) << "44 % yes";
}

}  // namespace
}  // namespace dissensus::xrpl
