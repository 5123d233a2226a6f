// The commit rule and the order of blocks, on DAGs built by hand.
#include "systems/dag/ordering.h"

#include <gtest/gtest.h>

namespace dissensus::dag {
namespace {

constexpr Mask kAll = 0b1111;

class Ordering : public ::testing::Test {
 protected:
  /// Adds a row: for each creator its parents, 0 for no vertex.
  void row(std::uint32_t round, const std::vector<Mask>& parents) {
    for (NodeId creator = 0; creator < parents.size(); ++creator) {
      if (parents[creator] == 0) continue;
      const Vertex vertex{parents[creator], 0, 0, round, creator, 0};
      dag_.insert(round, creator, record_of(vertex), committee_.stake_of(creator));
    }
  }
  std::vector<std::uint32_t> decide(std::uint32_t wave, std::uint32_t decided) {
    return decided_with(dag_, committee_, guards_, wave, decided);
  }
  std::vector<Slot> deliver(std::uint32_t wave) {
    return deliver_history(dag_, guards_, {leader_round(wave), committee_.leader(wave)}, {});
  }

  using Waves = std::vector<std::uint32_t>;
  Committee committee_{0, kAll, {1, 1, 1, 1}, LeaderRule::round_robin};
  LocalDag dag_{4, committee_, 0, {}};
  Guards guards_;
};

TEST_F(Ordering, WavesHaveTwoRoundsAndTheFirstOneHasTheGenesisRow) {
  EXPECT_EQ(wave_of(0), 1u);
  EXPECT_EQ(wave_of(1), 1u);
  EXPECT_EQ(wave_of(2), 1u);
  EXPECT_EQ(wave_of(3), 2u);
  EXPECT_EQ(leader_round(3), 5u);
  EXPECT_EQ(voting_round(3), 6u);
}

TEST_F(Ordering, ALeaderWithAQuorumOfVotesIsDecided) {
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, kAll, kAll, 0});
  EXPECT_EQ(decide(1, 0), Waves{1});
}

// Exactly two thirds are not enough: with three of equal stake, all three must vote.
TEST_F(Ordering, AQuorumIsMoreThanTwoThirds) {
  const Committee three(0, 0b111, {1, 1, 1, 1}, LeaderRule::round_robin);
  EXPECT_FALSE(three.is_quorum(2));
  EXPECT_TRUE(three.is_quorum(3));
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, kAll, 0b1110, 0});
  EXPECT_EQ(decide(1, 0), Waves{});
}

TEST_F(Ordering, VotesCountByStake) {
  const Committee rich(0, kAll, {5, 1, 1, 1}, LeaderRule::round_robin);
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, kAll, 0b1110, 0});  // 6 of 8
  EXPECT_EQ(decided_with(dag_, rich, guards_, 1, 0), Waves{1});
}

TEST_F(Ordering, AnAbsentLeaderIsNotDecided) {
  row(1, {0, kAll, kAll, kAll});
  row(2, {0, 0b1110, 0b1110, 0b1110});
  EXPECT_EQ(decide(1, 0), Waves{});
}

// Wave 1 lacks votes, but the leader of wave 2 reaches its leader: both are decided, in order.
TEST_F(Ordering, ASkippedLeaderIsDecidedThroughALaterOne) {
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, kAll, 0b1110, 0b1110});
  EXPECT_EQ(decide(1, 0), Waves{});
  row(3, {kAll, kAll, kAll, kAll});
  row(4, {kAll, kAll, kAll, kAll});
  EXPECT_EQ(decide(2, 0), (Waves{1, 2}));
}

TEST_F(Ordering, ASkippedLeaderThatIsOutOfReachStaysSkipped) {
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, 0b1110, 0b1110, 0b1110});  // only node 0 builds on the leader of wave 1
  row(3, {0, 0b1110, 0b1110, 0b1110});     // and nobody on that vertex
  row(4, {0, 0b1110, 0b1110, 0b1110});
  EXPECT_EQ(decide(2, 0), Waves{2});
}

// Between two skipped waves the chain goes on from the last chosen leader.
TEST_F(Ordering, TheChainWalksBackFromTheLastChosenLeader) {
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, 0b1110, 0b1110, 0b1110});
  row(3, {0b1111, 0b1110, 0b1110, 0b1110});  // leader of wave 2 is node 1: does not reach wave 1
  row(4, {0b0111, 0b1011, 0b1111, 0});       // but leader of wave 3 (node 2) does, through node 0
  row(5, {0, 0, 0b0111, 0});
  EXPECT_NE(dag_.reachable(5, 0b0100, 1) & 1, 0u);
  row(6, {0b0100, 0b0100, 0b0100, 0b0100});
  EXPECT_EQ(decide(3, 0), (Waves{2, 3}));
}

TEST_F(Ordering, BlocksFollowRoundAndCreatorAndHaveEachVertexOnce) {
  row(1, {kAll, kAll, kAll, kAll});
  row(2, {kAll, kAll, kAll, kAll});
  row(3, {kAll, 0b0111, kAll, kAll});
  const std::vector<Slot> first = deliver(1);
  EXPECT_EQ(first, (std::vector<Slot>{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}}));
  const std::vector<Slot> second = deliver(2);
  EXPECT_EQ(second, (std::vector<Slot>{{1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {3, 1}}));
  EXPECT_TRUE(deliver_history(dag_, guards_, {3, 1}, {}).empty());
}

TEST_F(Ordering, AHashSeedReordersWithinRoundsOnly) {
  row(1, {kAll, kAll, kAll, kAll});
  LocalDag copy = dag_;
  const auto plain = deliver_history(dag_, guards_, {1, 0}, {});
  const auto hashed = deliver_history(copy, guards_, {1, 0}, {true, 12345});
  EXPECT_NE(plain, hashed);
  ASSERT_EQ(plain.size(), hashed.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(plain[i].round, hashed[i].round);
}

// The unsigned arithmetic is right as long as no leader before the last was skipped.
TEST(UnsignedLag, IsWrongOnlyAfterASkippedLeader) {
  EXPECT_EQ(wave_by_unsigned_lag({4}, 3), 4u);
  EXPECT_EQ(wave_by_unsigned_lag({2, 3, 4}, 1), 4u);
  EXPECT_EQ(wave_by_unsigned_lag({2, 4}, 1), 3u);       // decides wave 4 again later
  EXPECT_GT(wave_by_unsigned_lag({4}, 1), 1'000'000u);  // decides nothing any more
}

// Over many waves each member leads in proportion to its stake; the same for all nodes.
TEST(Leaders, FollowStakesOrTakeTurns) {
  const Committee turns(0, 0b1101, {1, 1, 1, 1}, LeaderRule::round_robin);
  EXPECT_EQ(turns.leader(1), 0);
  EXPECT_EQ(turns.leader(2), 2);
  EXPECT_EQ(turns.leader(3), 3);
  EXPECT_EQ(turns.leader(4), 0);
  const Committee stakes(3, 0b111, {6, 3, 1}, LeaderRule::stake_hash);
  std::vector<int> led(3);
  for (std::uint32_t wave = 1; wave <= 10'000; ++wave) ++led[stakes.leader(wave)];
  EXPECT_NEAR(led[0], 6000, 200);
  EXPECT_NEAR(led[1], 3000, 200);
  EXPECT_NEAR(led[2], 1000, 150);
}

}  // namespace
}  // namespace dissensus::dag
