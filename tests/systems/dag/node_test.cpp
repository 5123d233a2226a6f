// The node's steps, one by one, as a driver takes them.
#include "systems/dag/node.h"

#include <gtest/gtest.h>

#include "systems/dag/driver.h"

namespace dissensus::dag {
namespace {

const std::string kFour = "num_nodes = 4\nbroadcast = \"best-effort\"\n";
using Numbers = std::vector<std::int64_t>;
using Nodes = std::vector<NodeId>;

TEST(DagNode, BeginsWithTheGenesisRowOfAll) {
  Driver driver(kFour);
  EXPECT_EQ(driver.number(0, "round"), 0);
  EXPECT_EQ(driver.number(0, "wave"), 1);
  EXPECT_EQ(driver.number(0, "row"), 4);
  EXPECT_EQ(driver.number(0, "decided"), 0);
  EXPECT_EQ(driver.number(0, "last_leader"), -1);
}

TEST(DagNode, CreatesAVertexOnlyOnAQuorum) {
  Driver driver(kFour);
  EXPECT_TRUE(driver.next_round(0));
  EXPECT_FALSE(driver.next_round(0)) << "its own vertex is alone in the row";
  driver.next_round(1);
  driver.next_round(2);
  EXPECT_TRUE(driver.receive_and_add(0, 1, 1));
  EXPECT_FALSE(driver.next_round(0)) << "two of four";
  EXPECT_TRUE(driver.receive_and_add(0, 2, 1));
  EXPECT_TRUE(driver.next_round(0));
  EXPECT_EQ(driver.number(0, "round"), 2);
  const StateValue value = driver.state(0, "parents");
  EXPECT_EQ(std::get<StateValue::Set>(value.value).items.size(), 3u);
}

TEST(DagNode, StepsNameNodeCreatorRoundAndVariant) {
  Driver driver(kFour);
  driver.next_round(1);
  driver.next_round(0);
  ASSERT_TRUE(driver.receive_and_add(0, 1, 1));
  const auto& last = driver.taken.back();
  ASSERT_EQ(last.arguments.size(), 4u);
  const std::int64_t expected[] = {0, 1, 1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::get<std::int64_t>(last.arguments[i].value), expected[i]);
  }
  for (const auto& taken : driver.taken) {
    for (const StepDescription& step : driver.description().steps) {
      if (step.name == taken.step) {
        EXPECT_EQ(step.arguments.size(), taken.arguments.size());
      }
    }
  }
}

TEST(DagNode, AddsNothingAheadOfItsOwnRound) {
  Driver driver(kFour);
  driver.next_round(1);
  EXPECT_TRUE(driver.receive(0, 1, 1));
  EXPECT_FALSE(driver.add(0, 1, 1));
  driver.next_round(0);
  EXPECT_TRUE(driver.add(0, 1, 1));
}

TEST(DagNode, AddsOnlyWhatHasItsParents) {
  Driver driver(kFour);
  for (const NodeId node : Nodes{0, 1, 2, 3}) driver.next_round(node);
  for (const NodeId creator : Nodes{1, 2, 3}) driver.receive(0, creator, 1);
  for (const NodeId creator : Nodes{0, 2, 3}) driver.receive_and_add(1, creator, 1);
  driver.next_round(1);
  driver.add(0, 1, 1);
  driver.add(0, 2, 1);
  driver.next_round(0);
  EXPECT_TRUE(driver.receive(0, 1, 2));
  EXPECT_FALSE(driver.add(0, 1, 2)) << "node 3's vertex of round 1 is missing";
  EXPECT_TRUE(driver.add(0, 3, 1));
  EXPECT_TRUE(driver.add(0, 1, 2));
}

TEST(DagNode, TakesAVertexOnceAndTheFirstOfItsPlaceOnly) {
  Driver driver(kFour);
  driver.next_round(0);
  driver.next_round(1);
  EXPECT_TRUE(driver.receive(0, 1, 1));
  EXPECT_FALSE(driver.receive(0, 1, 1));
  EXPECT_TRUE(driver.add(0, 1, 1));
  EXPECT_FALSE(driver.add(0, 1, 1));
  EXPECT_FALSE(driver.receive(0, 1, 1));
  EXPECT_FALSE(driver.receive(0, {0b1111, 0, 0, 1, 1, 1})) << "another vertex for the same place";
}

TEST(DagNode, RefusesVerticesThatBreakTheRules) {
  Driver driver(kFour);
  EXPECT_FALSE(driver.receive(0, {0b1111, 0, 1, 1, 1, 0})) << "another epoch";
  EXPECT_FALSE(driver.receive(0, {0b1111, 0, 0, 0, 1, 0})) << "genesis is given";
  EXPECT_FALSE(driver.receive(0, {0b0011, 0, 0, 1, 1, 0})) << "no quorum of parents";
  EXPECT_FALSE(driver.receive(0, {0b1101, 0, 0, 1, 1, 0})) << "not on its own vertex";
  EXPECT_FALSE(driver.receive(0, {0b11111, 0, 0, 1, 1, 0})) << "a parent from nowhere";
  EXPECT_FALSE(driver.receive(0, {0b1111, 0, 0, 4'000'000'000, 1, 0})) << "far ahead";
  EXPECT_FALSE(driver.receive(0, {0b1111, 0, 0, 1, 9, 0})) << "no such node";
  EXPECT_TRUE(driver.receive(0, {0b1111, 0, 0, 1, 1, 0}));
}

TEST(DagNode, DecidesALeaderAndItsBlockWhenItLeavesTheVotingRound) {
  Driver driver(kFour);
  driver.full_round({0, 1, 2, 3}, 1);
  driver.full_round({0, 1, 2, 3}, 2);
  EXPECT_TRUE(driver.decisions.empty());
  driver.next_round(2);
  EXPECT_EQ(driver.number(2, "decided"), 1);
  EXPECT_EQ(driver.numbers(2, "leaders"), Numbers{1});
  EXPECT_EQ(driver.number(2, "last_leader"), 0);
  EXPECT_EQ(driver.number(2, "last_block"), 1);
  EXPECT_EQ(driver.numbers(2, "block"), (Numbers{0, 1, 2, 3, 100}));
  EXPECT_EQ(driver.decisions.back().level, static_cast<Level>(Report::block));
}

/// Node 0 leads wave 1, and its vertex comes too late for votes but not for the next leader.
void play_late_leader(Driver& driver) {
  const Nodes all{0, 1, 2, 3};
  const auto hear = [&driver](const Nodes& nodes, const Nodes& creators, std::uint32_t round) {
    for (const NodeId node : nodes) {
      for (const NodeId creator : creators) {
        if (creator == node) continue;
        EXPECT_TRUE(driver.receive_and_add(node, creator, round));
      }
    }
  };
  for (const NodeId node : all) driver.next_round(node);
  hear(all, {1, 2, 3}, 1);
  for (const NodeId node : all) driver.next_round(node);
  hear({1, 2, 3}, {0}, 1);
  hear(all, all, 2);
  for (const NodeId node : all) driver.next_round(node);
  EXPECT_EQ(driver.number(1, "decided"), 0) << "node 0 alone voted";
  hear(all, all, 3);
  driver.full_round(all, 4);
  for (const NodeId node : all) driver.next_round(node);
}

TEST(DagNode, ALateLeaderIsDecidedThroughTheNextOne) {
  Driver driver(kFour);
  play_late_leader(driver);
  for (const NodeId node : Nodes{0, 1, 2, 3}) {
    EXPECT_EQ(driver.number(node, "decided"), 2);
    EXPECT_EQ(driver.numbers(node, "leaders"), (Numbers{1, 2})) << node;
    EXPECT_EQ(driver.number(node, "last_block"), 2);
    EXPECT_EQ(driver.numbers(node, "block"), driver.numbers(0, "block"));
  }
}

// Two leaders are decided at once and the first is the last of the epoch: the second is left out.
TEST(DagNode, AnEpochEndsInTheMiddleOfAChain) {
  Driver driver(kFour + "waves_per_epoch = 1\n");
  play_late_leader(driver);
  EXPECT_EQ(driver.numbers(2, "leaders"), Numbers{1});
  Driver mutant(kFour + "waves_per_epoch = 1\ndelete_guard = \"epoch-open\"\n");
  play_late_leader(mutant);
  EXPECT_EQ(mutant.numbers(2, "leaders"), (Numbers{1, 2}));
}

TEST(DagNode, KeepsAllItAcceptedThroughACrash) {
  Driver driver(kFour);
  driver.full_round({0, 1, 2, 3}, 1);
  driver.full_round({0, 1, 2, 3}, 2);
  driver.next_round(0);
  driver.next_round(1);
  driver.receive(0, 1, 3);
  const auto before = driver.number(0, "last_block");
  const std::size_t sent = driver.sent.size();
  driver.crash_and_restart(0);
  EXPECT_EQ(driver.number(0, "round"), 3);
  EXPECT_EQ(driver.number(0, "last_block"), before);
  EXPECT_TRUE(driver.add(0, 1, 3)) << "the buffer is on disk";
  EXPECT_EQ(driver.sent.size(), sent + 3) << "its last vertex is sent again";
}

TEST(DagNode, ChangesTheCommitteeAfterItsDecidedWaves) {
  Driver driver(
      "num_nodes = 5\nbroadcast = \"best-effort\"\nwaves_per_epoch = 1\n"
      "committees = [[0, 1, 2, 3], [1, 2, 3, 4]]\n");
  EXPECT_FALSE(driver.next_round(4)) << "not a member yet";
  driver.full_round({0, 1, 2, 3}, 1);
  driver.full_round({0, 1, 2, 3}, 2);
  EXPECT_FALSE(driver.change_epoch(1)) << "nothing is decided";
  for (const NodeId node : Nodes{1, 2}) {
    driver.next_round(node);
    EXPECT_EQ(driver.number(node, "decided"), 1);
    EXPECT_TRUE(driver.change_epoch(node));
    EXPECT_EQ(driver.number(node, "epoch"), 1);
    EXPECT_EQ(driver.number(node, "round"), 0);
    EXPECT_EQ(driver.number(node, "decided"), 0);
    EXPECT_EQ(driver.number(node, "row"), 4);
    EXPECT_TRUE(driver.numbers(node, "leaders").empty());
  }
  // Two of four members are one correct at least: others take their word for it.
  driver.deliver_all(Seal::kind());
  for (const NodeId node : Nodes{0, 3, 4}) EXPECT_TRUE(driver.change_epoch(node)) << node;
  EXPECT_EQ(driver.number(4, "last_block"), 1);
  std::vector<Digest> blocks;
  for (const auto& decision : driver.decisions) {
    if (decision.level == static_cast<Level>(Report::block)) blocks.push_back(decision.value);
  }
  EXPECT_EQ(blocks, std::vector<Digest>(5, blocks.front())) << "one block, decided by all five";
  EXPECT_TRUE(driver.next_round(4));
  EXPECT_FALSE(driver.next_round(0)) << "no member any more";
  EXPECT_TRUE(driver.next_round(1));
  EXPECT_TRUE(driver.receive(1, 4, 1));
}

// One node alone has the votes and seals the epoch; another one gets the missing vote from it, and
// decides by its own DAG, since one seal of four is nobody's word.
TEST(DagNode, ALateNodeDecidesTheSealingWaveByItsOwnDag) {
  Driver driver("num_nodes = 4\nbroadcast = \"best-effort\"\nwaves_per_epoch = 1\n");
  driver.full_round({0, 1, 2, 3}, 1);
  for (const NodeId node : Nodes{0, 1, 2, 3}) driver.next_round(node);
  for (const NodeId creator : Nodes{1, 2, 3}) driver.receive_and_add(0, creator, 2);
  EXPECT_TRUE(driver.next_round(0));
  EXPECT_TRUE(driver.change_epoch(0));
  driver.deliver_all(Seal::kind());
  EXPECT_FALSE(driver.change_epoch(1)) << "its row 2 has no quorum";
  EXPECT_TRUE(driver.receive_and_add(1, 2, 2));
  EXPECT_FALSE(driver.change_epoch(1));
  EXPECT_TRUE(driver.receive_and_add(1, 0, 2));
  EXPECT_TRUE(driver.change_epoch(1));
  EXPECT_EQ(driver.number(1, "last_block"), 1);
}

TEST(DagNode, AVertexOfTheNextEpochWaitsForIt) {
  Driver driver("num_nodes = 4\nbroadcast = \"best-effort\"\nwaves_per_epoch = 1\n");
  driver.full_round({0, 1, 2, 3}, 1);
  driver.full_round({0, 1, 2, 3}, 2);
  for (const NodeId node : Nodes{0, 1}) driver.next_round(node);
  driver.change_epoch(0);
  driver.sent.clear();
  driver.next_round(0);
  EXPECT_FALSE(driver.receive(1, 0, 1)) << "it is kept";
  driver.change_epoch(1);
  EXPECT_FALSE(driver.add(1, 0, 1)) << "it has not been received yet";
}

// With both variants under way, a best-effort node takes what comes first.
TEST(DagNode, AnEquivocatorMakesTwoVerticesForAPlace) {
  Driver driver(kFour + "equivocators = [3]\n");
  driver.next_round(3);
  EXPECT_TRUE(driver.equivocate(3));
  driver.next_round(0);
  driver.next_round(2);
  EXPECT_TRUE(driver.receive(0, 3, 1, 0));
  EXPECT_FALSE(driver.receive(0, 3, 1, 1));
  EXPECT_TRUE(driver.receive(2, 3, 1, 1));
  EXPECT_FALSE(driver.receive(2, 3, 1, 0));
  EXPECT_FALSE(driver.equivocate(0)) << "a correct node does not";
}

TEST(DagNode, TellsTheWholeStateWhenAsked) {
  Driver driver(kFour + "state = \"full\"\n");
  driver.full_round({0, 1, 2, 3}, 1);
  const auto size = [&driver](std::string_view field) {
    const StateValue value = driver.state(0, field);
    if (const auto* set = std::get_if<StateValue::Set>(&value.value)) return set->items.size();
    return std::get<StateValue::Sequence>(value.value).items.size();
  };
  EXPECT_EQ(size("dag"), 8u);
  EXPECT_EQ(size("buffer"), 0u);
  driver.full_round({0, 1, 2, 3}, 2);
  driver.next_round(0);
  EXPECT_EQ(size("dag"), 13u);
  EXPECT_EQ(size("blocks"), 1u);
  EXPECT_EQ(size("chain"), 1u);
}

TEST(DagNode, TimerTagsNameTheirPlace) {
  const std::uint64_t tag = timer_tag(TimerKind::add, 12'345, 17);
  EXPECT_EQ(timer_kind(tag), TimerKind::add);
  EXPECT_EQ(timer_round(tag), 12'345u);
  EXPECT_EQ(timer_creator(tag), 17);
  EXPECT_EQ(tag, kAddTimer | std::uint64_t{17} << 32 | 12'345u);
}

// ---- bugs, seen by a driver

TEST(DagBugs, RoundsFromOneShiftsWhatIsTold) {
  Driver driver(kFour + "bugs = [\"rounds-from-one\"]\n");
  EXPECT_EQ(driver.number(0, "round"), 1);
  driver.next_round(0);
  EXPECT_EQ(driver.number(0, "round"), 2);
}

TEST(DagBugs, GenesisOutsideWaveOneLeavesItOutOfTheFirstBlock) {
  Driver driver(kFour + "bugs = [\"genesis-outside-wave-one\"]\n");
  EXPECT_EQ(driver.number(0, "wave"), 0);
  driver.full_round({0, 1, 2, 3}, 1);
  driver.full_round({0, 1, 2, 3}, 2);
  driver.next_round(0);
  EXPECT_EQ(driver.numbers(0, "block"), Numbers{100});
}

TEST(DagBugs, DuplicateAddCountsAVertexTwice) {
  Driver driver(kFour + "bugs = [\"duplicate-add\"]\n");
  driver.next_round(0);
  driver.next_round(1);
  EXPECT_TRUE(driver.receive_and_add(0, 1, 1));
  EXPECT_TRUE(driver.receive_and_add(0, 1, 1));
  EXPECT_EQ(driver.number(0, "row"), 3);
  EXPECT_TRUE(driver.next_round(0)) << "two of four vertices pass for a quorum";
}

TEST(DagBugs, LeaderSentinelsStandForUndecidedWaves) {
  Driver driver(kFour + "bugs = [\"leader-sentinels\"]\n");
  driver.full_round({0, 1, 2, 3}, 1);
  EXPECT_EQ(driver.numbers(0, "leaders"), Numbers{-1});
  driver.full_round({0, 1, 2, 3}, 2);
  driver.next_round(0);
  EXPECT_EQ(driver.numbers(0, "leaders"), (Numbers{1, -1}));
}

TEST(DagBugs, IgnoreEpochChangeStaysInAnEpochThatDecidesNothingMore) {
  Driver driver(
      "num_nodes = 4\nbroadcast = \"best-effort\"\nwaves_per_epoch = 1\n"
      "bugs = [\"ignore-epoch-change\"]\n");
  for (std::uint32_t round = 1; round <= 4; ++round) driver.full_round({0, 1, 2, 3}, round);
  driver.next_round(0);
  EXPECT_EQ(driver.numbers(0, "leaders"), Numbers{1});
  EXPECT_FALSE(driver.change_epoch(0));
}

TEST(DagBugs, UnorderedBlocksDifferFromNodeToNode) {
  Driver driver(kFour + "bugs = [\"unordered-blocks\"]\n");
  for (std::uint32_t round = 1; round <= 3; ++round) driver.full_round({0, 1, 2, 3}, round);
  EXPECT_NE(driver.numbers(0, "block"), driver.numbers(1, "block"));
}

TEST(DagBugs, WaveUnderflowLosesCountAfterASkippedWave) {
  for (const bool bug : {false, true}) {
    Driver driver(kFour + (bug ? "bugs = [\"wave-underflow\"]\n" : ""));
    // Node 0, who leads wave 1, is down: the leader of wave 2 is the first.
    for (std::uint32_t round = 1; round <= 4; ++round) driver.full_round({1, 2, 3}, round);
    driver.next_round(1);
    EXPECT_EQ(driver.numbers(1, "leaders"), Numbers{2});
    EXPECT_EQ(driver.number(1, "decided") == 2, !bug);
  }
}

TEST(DagBugs, FutureVerticesAreAddedAheadOfTime) {
  Driver driver(kFour + "bugs = [\"future-vertices\"]\n");
  driver.next_round(1);
  EXPECT_TRUE(driver.receive_and_add(0, 1, 1));
}

TEST(DagBugs, LateRoundLeavesTheCounterBehind) {
  Driver driver(kFour + "bugs = [\"late-round\"]\n");
  int late = 0;
  for (std::uint32_t round = 1; round <= 100; ++round) {
    for (const NodeId node : Nodes{0, 1, 2, 3}) {
      EXPECT_TRUE(driver.next_round(node));
      if (driver.number(node, "round") == round) continue;
      ++late;
      EXPECT_FALSE(driver.next_round(node)) << "the counter follows without a step";
      EXPECT_EQ(driver.number(node, "round"), round);
    }
    for (const NodeId node : Nodes{0, 1, 2, 3}) {
      for (const NodeId creator : Nodes{0, 1, 2, 3}) {
        if (creator != node) driver.receive_and_add(node, creator, round);
      }
    }
    driver.sent.clear();
  }
  EXPECT_GT(late, 0);
  EXPECT_LT(late, 40);
}

}  // namespace
}  // namespace dissensus::dag
