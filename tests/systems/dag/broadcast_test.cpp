// Reliable broadcast: at most one vertex per place, the same for all.
#include <gtest/gtest.h>

#include "systems/dag/reliable_broadcast.h"

namespace dissensus::dag {
namespace {

class Broadcast : public ::testing::Test {
 protected:
  Committee committee_{0, 0b1111, {1, 1, 1, 1}, LeaderRule::round_robin};
  Guards guards_;
  ReliableBroadcast node_;
  const Vertex one_{0b1111, 0, 0, 1, 3, 0};
  const Vertex other_{0b1111, 0, 0, 1, 3, 1};
  const Place place_{0, 1, 3};

  auto vertex(NodeId from, const Vertex& vertex) {
    return node_.on_vertex(committee_, guards_, 0, from, vertex);
  }
  auto echo(NodeId from, const Vertex& vertex) {
    return node_.on_echo(committee_, guards_, from, {place_, vertex.digest()});
  }
  auto ready(NodeId from, const Vertex& vertex) {
    return node_.on_ready(committee_, guards_, from, {place_, vertex.digest()});
  }
};

TEST_F(Broadcast, ANodeEchoesTheFirstVertexOfAPlaceOnly) {
  EXPECT_TRUE(vertex(3, one_).echo.has_value());
  EXPECT_FALSE(vertex(3, one_).echo.has_value());
  EXPECT_FALSE(vertex(3, other_).echo.has_value());
}

TEST_F(Broadcast, AVertexFromSomebodyElseIsKeptButNotEchoed) {
  EXPECT_FALSE(vertex(2, one_).echo.has_value());
  EXPECT_TRUE(vertex(3, one_).echo.has_value());
}

TEST_F(Broadcast, AQuorumOfEchoesMakesANodeReadyOnce) {
  EXPECT_FALSE(echo(0, one_).ready.has_value());
  EXPECT_FALSE(echo(1, one_).ready.has_value());
  EXPECT_FALSE(echo(1, one_).ready.has_value()) << "the same voter twice";
  EXPECT_TRUE(echo(2, one_).ready.has_value());
  EXPECT_FALSE(echo(3, one_).ready.has_value());
}

TEST_F(Broadcast, AThirdOfReadiesMakesANodeReady) {
  EXPECT_FALSE(ready(1, one_).ready.has_value());
  EXPECT_TRUE(ready(2, one_).ready.has_value());
}

TEST_F(Broadcast, AQuorumOfReadiesDeliversOnceTheContentIsThere) {
  ready(0, one_);
  ready(1, one_);
  EXPECT_FALSE(ready(2, one_).vertex.has_value()) << "no content yet";
  EXPECT_TRUE(vertex(1, one_).vertex.has_value());
  EXPECT_FALSE(ready(3, one_).vertex.has_value());
}

TEST_F(Broadcast, TwoVerticesOfAPlaceCannotBothGetAQuorum) {
  vertex(3, one_);
  vertex(3, other_);
  echo(0, one_);
  echo(3, one_);
  echo(1, other_);
  EXPECT_FALSE(echo(2, other_).ready.has_value());
  EXPECT_FALSE(node_.votes_of(place_).ready.has_value());
  EXPECT_EQ(node_.votes_of(place_).echo->vertex, one_.digest());
}

TEST_F(Broadcast, StrangersDoNotCount) {
  const Committee three(0, 0b0111, {1, 1, 1, 1}, LeaderRule::round_robin);
  EXPECT_FALSE(node_.on_ready(three, guards_, 3, {place_, one_.digest()}).ready.has_value());
  EXPECT_TRUE(node_.on_ready(three, guards_, 2, {place_, one_.digest()}).ready.has_value());
}

}  // namespace
}  // namespace dissensus::dag
