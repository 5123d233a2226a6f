// The rules that are functions of numbers, against values worked out by hand from consensus.md.
#include <gtest/gtest.h>

#include "systems/xrpl/chain.h"
#include "systems/xrpl/close_time.h"
#include "systems/xrpl/consensus.h"
#include "systems/xrpl/parameters.h"

namespace dissensus::xrpl {
namespace {

// 6.6: the table of needed().
TEST(Rules, NeededVotesFollowTheTable) {
  const std::int64_t percents[] = {50, 65, 70, 95, 75};
  const std::int64_t expected[][6] = {{4, 2, 2, 3, 4, 3}, {5, 2, 3, 3, 5, 4}, {7, 3, 4, 5, 7, 5}};
  for (const auto& row : expected) {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(needed_votes(row[0], percents[i]), row[i + 1]) << row[0] << " at " << percents[i];
    }
  }
  EXPECT_EQ(needed_votes(1, 50), 1);
}

// 9: rounding to the nearest bin, halves upwards; 0 stays "no agreement".
TEST(Rules, CloseTimesAreRounded) {
  EXPECT_EQ(round_close_time(0, 10), 0);
  EXPECT_EQ(round_close_time(784, 10), 780);
  EXPECT_EQ(round_close_time(785, 10), 790);
  EXPECT_EQ(round_close_time(794, 30), 780);
  EXPECT_EQ(round_close_time(795, 30), 810);
  EXPECT_EQ(effective_close_time(0, 10, 500), 0);
  EXPECT_EQ(effective_close_time(784, 10, 700), 780);
  EXPECT_EQ(effective_close_time(784, 10, 780), 781);
}

// 3.4: one step coarser after each disagreement, one finer at every eighth ledger.
TEST(Rules, ResolutionLadder) {
  EXPECT_EQ(next_resolution(10, false, 7), 20);
  EXPECT_EQ(next_resolution(30, false, 8), 60);
  EXPECT_EQ(next_resolution(120, false, 8), 120);
  EXPECT_EQ(next_resolution(30, true, 8), 20);
  EXPECT_EQ(next_resolution(10, true, 16), 10);
  EXPECT_EQ(next_resolution(90, true, 9), 90);
}

// 2: the offset moves a quarter of the way, and decays where clocks agree.
TEST(Rules, CloseOffsetFollowsTheAverage) {
  EXPECT_EQ(next_close_offset(0, 20), 5);
  EXPECT_EQ(next_close_offset(0, 2), 1);
  EXPECT_EQ(next_close_offset(0, -20), -5);
  EXPECT_EQ(next_close_offset(8, 1), 6);
  EXPECT_EQ(next_close_offset(-8, 0), -6);
  EXPECT_EQ(next_close_offset(1, 0), 0);
}

// 11.6 and bug B2: quorums of the unmodified rule, the 60 % form and the true 40 %.
TEST(Rules, QuorumOfEachForm) {
  Parameters correct;
  Parameters sixty;
  Parameters forty;
  ASSERT_TRUE(apply_bug("B2", sixty));
  ASSERT_TRUE(apply_bug("B2-40", forty));
  const std::size_t expected[][4] = {{4, 4, 3, 2}, {5, 4, 3, 2},  {6, 5, 4, 3},
                                     {7, 6, 5, 3}, {10, 8, 6, 4}, {80, 64, 48, 32}};
  for (const auto& row : expected) {
    EXPECT_EQ(validation_quorum(correct, row[0]), row[1]) << row[0];
    EXPECT_EQ(validation_quorum(sixty, row[0]), row[2]) << row[0];
    EXPECT_EQ(validation_quorum(forty, row[0]), row[3]) << row[0];
  }
}

ConsensusCounts counts_of(std::int64_t agree, std::int64_t proposers, bool proposing) {
  ConsensusCounts counts;
  counts.agree = agree;
  counts.proposers = proposers;
  counts.previous_proposers = proposers;
  counts.previous_round_ms = 2000;
  counts.round_ms = 2000;
  counts.proposing = proposing;
  return counts;
}

// 6.7: with oneself, 5 validators need 4, 6 need 5, 7 need 6, 4 need 4.
TEST(Rules, ConsensusNeedsEightyPercent) {
  const Parameters parameters;
  const std::int64_t needed_peers[][2] = {{4, 3}, {5, 4}, {6, 5}, {3, 3}};
  for (const auto& [peers, needed] : needed_peers) {
    EXPECT_EQ(check_consensus(parameters, counts_of(needed, peers, true)), ConsensusState::yes);
    EXPECT_EQ(check_consensus(parameters, counts_of(needed - 1, peers, true)), ConsensusState::no);
  }
  // An observer does not count itself: 3 of 4 peers are 75 %.
  EXPECT_EQ(check_consensus(parameters, counts_of(3, 4, false)), ConsensusState::no);
  EXPECT_EQ(check_consensus(parameters, counts_of(4, 4, false)), ConsensusState::yes);
}

TEST(Rules, ConsensusWaitsForTimeAndForMissingProposers) {
  const Parameters parameters;
  ConsensusCounts counts = counts_of(4, 4, true);
  counts.round_ms = 1950;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::no);
  counts.round_ms = 1951;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::yes);
  // 2 < 4*3/4: wait for the others, but not longer than the last round plus 1.95 s.
  counts = counts_of(2, 2, true);
  counts.previous_proposers = 4;
  counts.round_ms = 3949;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::no);
  counts.round_ms = 3950;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::yes);
  // 3 is not less than 4*3/4: no wait (19.5 d).
  counts = counts_of(3, 3, true);
  counts.previous_proposers = 4;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::yes);
}

TEST(Rules, MovedOnWhenOthersFinished) {
  const Parameters parameters;
  ConsensusCounts counts = counts_of(0, 4, true);
  counts.finished = 4;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::moved_on);
  counts.finished = 3;
  EXPECT_EQ(check_consensus(parameters, counts), ConsensusState::no);
}

// 6.7 and 15.1: alone, 1.7.2 accepts at once and 2.4.0 waits 15 s.
TEST(Rules, LoneNodeDependsOnVersion) {
  ConsensusCounts counts = counts_of(0, 0, false);
  EXPECT_EQ(check_consensus(parameters_of(Profile::v1_7_2), counts), ConsensusState::yes);
  const Parameters later = parameters_of(Profile::v2_4_0);
  EXPECT_EQ(check_consensus(later, counts), ConsensusState::no);
  counts.round_ms = 15001;
  EXPECT_EQ(check_consensus(later, counts), ConsensusState::yes);
}

// 15.3: 2.5.0 gives a round up after clamp(10 x last round, 15 s, 120 s); older versions never do.
TEST(Rules, OnlyLaterVersionsExpire) {
  ConsensusCounts counts = counts_of(0, 4, true);
  counts.round_ms = 20001;
  EXPECT_EQ(check_consensus(parameters_of(Profile::v2_5_0), counts), ConsensusState::expired);
  EXPECT_EQ(check_consensus(parameters_of(Profile::v2_4_0), counts), ConsensusState::no);
  counts.round_ms = 20000;
  EXPECT_EQ(check_consensus(parameters_of(Profile::v2_5_0), counts), ConsensusState::no);
  counts.previous_round_ms = 100;
  counts.round_ms = 15001;
  EXPECT_EQ(check_consensus(parameters_of(Profile::v2_5_0), counts), ConsensusState::expired);
  counts.stalled = true;
  EXPECT_EQ(check_consensus(parameters_of(Profile::v2_5_0), counts), ConsensusState::yes);
}

// 16: with a threshold of 40 %, oneself and one of four peers suffice.
TEST(Rules, ThresholdBugAcceptsTwoOfFive) {
  Parameters parameters = parameters_of(Profile::v2_4_0);
  ASSERT_TRUE(apply_bug("consensus-threshold-40", parameters));
  EXPECT_EQ(check_consensus(parameters, counts_of(1, 4, true)), ConsensusState::yes);
  EXPECT_EQ(check_consensus(parameters, counts_of(0, 4, true)), ConsensusState::no);
}

// 6.3, first match wins.
TEST(Rules, LedgerClosesWhenItShould) {
  const Parameters parameters;
  CloseInputs inputs;
  inputs.previous_proposers = 4;
  inputs.previous_round_ms = 2000;
  inputs.idle_ms = 20000;
  EXPECT_FALSE(should_close(parameters, inputs));
  inputs.since_close_ms = 20000;
  EXPECT_TRUE(should_close(parameters, inputs)) << "idle";
  inputs.since_close_ms = 0;
  inputs.any_transactions = true;
  inputs.open_ms = 1999;
  EXPECT_FALSE(should_close(parameters, inputs)) << "minimum open time";
  inputs.open_ms = 2000;
  EXPECT_TRUE(should_close(parameters, inputs));
  inputs.previous_round_ms = 6000;
  EXPECT_FALSE(should_close(parameters, inputs)) << "half of a long last round";
  inputs.open_ms = 3000;
  EXPECT_TRUE(should_close(parameters, inputs));
  inputs.open_ms = 0;
  inputs.closed = 1;
  inputs.validated = 1;
  EXPECT_FALSE(should_close(parameters, inputs)) << "2 is not more than half of 4";
  inputs.validated = 2;
  EXPECT_TRUE(should_close(parameters, inputs)) << "others have closed or validated";
  inputs = {};
  inputs.since_close_ms = 600001;
  EXPECT_TRUE(should_close(parameters, inputs)) << "nonsensical times";
}

// 6.8 by phase of how far we are ahead.
TEST(Rules, PausesForLaggards) {
  const Parameters parameters;
  PauseInputs inputs;
  inputs.working_seq = 11;
  inputs.valid_seq = 10;
  inputs.laggards = 1;
  inputs.trusted = 5;
  inputs.quorum = 4;
  inputs.have_validated = true;
  inputs.round_ms = 2000;
  EXPECT_FALSE(should_pause(parameters, inputs)) << "one laggard leaves a quorum";
  inputs.offline = 1;
  EXPECT_TRUE(should_pause(parameters, inputs)) << "phase 0: 2 > 5 - 4";
  inputs.offline = 0;
  inputs.working_seq = 12;
  EXPECT_TRUE(should_pause(parameters, inputs)) << "phase 1: 0.8 < 0.8 + 0.2/4";
  inputs.working_seq = 15;
  EXPECT_TRUE(should_pause(parameters, inputs)) << "phase 4";
  inputs.round_ms = 10001;
  EXPECT_FALSE(should_pause(parameters, inputs)) << "not for ever";
  inputs.round_ms = 2000;
  inputs.working_seq = 10;
  EXPECT_FALSE(should_pause(parameters, inputs)) << "not ahead";
}

TEST(Rules, ProfilesDifferAsSection15Says) {
  const Parameters old = parameters_of(Profile::v1_7_2);
  const Parameters later = parameters_of(Profile::v2_4_0);
  EXPECT_EQ(old.max_consensus_ms, 10000);
  EXPECT_EQ(later.max_consensus_ms, 15000);
  EXPECT_EQ(old.open_ledger_capacity, 5);
  EXPECT_EQ(later.open_ledger_capacity, 32);
  EXPECT_FALSE(old.revive_acquisition || old.count_by_sequence || old.lone_node_waits);
  EXPECT_TRUE(later.revive_acquisition && later.count_by_sequence && later.lone_node_waits);
  EXPECT_FALSE(later.avalanche_states);
  EXPECT_TRUE(parameters_of(Profile::v2_5_0).avalanche_states);
  EXPECT_EQ(fees_of(Profile::v1_7_2).reserve, 200 * kDropsPerXrp);
  EXPECT_EQ(fees_of(Profile::v2_4_0).reserve, 10 * kDropsPerXrp);
}

}  // namespace
}  // namespace dissensus::xrpl
