// Byzantine faults while a run goes on: who is lied to, when, and about what.
#include <map>

#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "faults/draw.h"
#include "faults/fault_space.h"
#include "faults/mutation.h"
#include "faults/scripted_system.h"

namespace dissensus::faults {
namespace {

using std::chrono::milliseconds;

/// Numbers of the letters that reached a node, in order.
std::vector<std::uint64_t> numbers_to(const std::vector<std::string>& lines, NodeId to) {
  std::vector<std::uint64_t> result;
  for (const std::string& line : lines) {
    const std::size_t hash = line.find('#');
    const bool arrives = line.find(" deliver ") != std::string::npos &&
                         line.substr(line.size() - 2) == fmt::format(">{}", to);
    if (arrives) result.push_back(std::stoull(line.substr(hash + 1)));
  }
  return result;
}

std::vector<Step> three_rounds() {
  std::vector<Step> script;
  for (int round = 1; round <= 3; ++round) {
    const int at_ms = 10 * round;
    script.push_back(enter_round(at_ms, 0, static_cast<std::uint64_t>(round)));
    for (const NodeId to : {NodeId{1}, NodeId{2}}) {
      script.push_back(send(at_ms, 0, to, kProposal, static_cast<std::uint64_t>(100 * round)));
    }
  }
  return script;
}

// ---- mutation

TEST(MutateFault, ChangesTheRoundsMessagesToTheReceiversAlone) {
  MutateFault fault;
  fault.node = 0;
  fault.round = 2;
  fault.receivers = {2};
  fault.seed = 7;
  ScriptedRun run(3, with_faults({fault}), three_rounds());
  const auto lines = run.run();
  EXPECT_EQ(numbers_to(lines, 1), (std::vector<std::uint64_t>{100, 200, 300}));
  const auto lied_to = numbers_to(lines, 2);
  ASSERT_EQ(lied_to.size(), 3u);
  EXPECT_EQ(lied_to[0], 100u);
  EXPECT_EQ(lied_to[2], 300u);
  EXPECT_TRUE(lied_to[1] == 199 || lied_to[1] == 201) << "small scope: a neighbouring value";
}

TEST(MutateFault, AnyScopeReachesFarValues) {
  std::size_t far = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MutateFault fault;
    fault.round = 2;
    fault.receivers = {1, 2};
    fault.seed = seed;
    fault.scope = MutationScope::any;
    ScriptedRun run(3, with_faults({fault}), three_rounds());
    const auto lines = run.run();
    const std::uint64_t number = numbers_to(lines, 1).at(1);
    EXPECT_EQ(number, numbers_to(lines, 2).at(1)) << "one seed changes equal messages equally";
    far += number < 190 || number > 210;
  }
  EXPECT_GE(far, 15u);
}

TEST(MutateFault, IsOverWithTheFaultPhase) {
  MutateFault fault;
  fault.round = 2;
  fault.receivers = {1, 2};
  std::vector<Step> script = three_rounds();
  script.push_back(end_fault_phase(15));
  ScriptedRun run(3, with_faults({fault}), script);
  EXPECT_EQ(numbers_to(run.run(), 1), (std::vector<std::uint64_t>{100, 200, 300}));
}

struct Vote {
  Digest value;
  std::uint64_t sequence = 0;
  std::uint64_t color = 0;
  NodeId author = 0;
  static constexpr MessageKind kind() { return 0; }
  Digest digest() const {
    return DigestBuilder{}.add(value).add(sequence).add(color).add(author).finish();
  }
};

SystemDescription vote_description() {
  SystemDescription description;
  description.message<Vote>("Vote")
      .field("value", SemanticType::value, &Vote::value)
      .field("sequence", SemanticType::sequence, &Vote::sequence)
      .field("color", SemanticType::number, &Vote::color)
      .field("author", SemanticType::node, &Vote::author)
      .author("author")
      .small_scope({"value", "sequence"});
  return description;
}

// A liar can change what it signs, but not who it is; small scope keeps to the named fields.
TEST(Mutation, KeepsTheAuthorAndTheScope) {
  const SystemDescription description = vote_description();
  MessagePool pool;
  SeenValues seen(description);
  seen.note(pool.make(Vote{Digest{5, 5}, 1, 1, 2}, description));
  const Message vote = pool.make(Vote{Digest{4, 4}, 10, 3, 1}, description);
  std::map<std::string, int> changed;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Mutation mutation =
        mutate(vote, {MutationScope::small, seed, {}, 4}, seen, description, pool);
    ASSERT_TRUE(mutation.message);
    const Vote& lie = *mutation.message.get<Vote>();
    EXPECT_EQ(lie.author, 1);
    EXPECT_EQ(lie.color, 3u);
    if (lie.value != Digest{4, 4}) {
      EXPECT_EQ(lie.value, (Digest{5, 5})) << "another value seen in the run";
      ++changed["value"];
    } else {
      EXPECT_TRUE(lie.sequence == 9 || lie.sequence == 11) << lie.sequence;
      ++changed["sequence"];
    }
  }
  EXPECT_GT(changed["value"], 60);
  EXPECT_GT(changed["sequence"], 60);
  const Mutation pinned =
      mutate(vote, {MutationScope::small, 1, "color", 4}, seen, description, pool);
  EXPECT_NE(pinned.message.get<Vote>()->color, 3u) << "a named field overrides the scope";
}

// ---- losses

TEST(RoundPartitionFault, LosesMessagesOfItsRoundBetweenGroups) {
  ScriptedRun run(3, with_faults({RoundPartitionFault{2, {{0, 1}, {2}}}}), three_rounds());
  const auto lines = run.run();
  EXPECT_EQ(numbers_to(lines, 1), (std::vector<std::uint64_t>{100, 200, 300}));
  EXPECT_EQ(numbers_to(lines, 2), (std::vector<std::uint64_t>{100, 300}));
}

TEST(SilenceFault, KeepsToItsReceiversAndItsRoundOrWindow) {
  ScriptedRun by_round(3, with_faults({SilenceFault{0, {1}, 3, {}}}), three_rounds());
  EXPECT_EQ(numbers_to(by_round.run(), 1), (std::vector<std::uint64_t>{100, 200}));
  ScriptedRun by_time(3, with_faults({SilenceFault{0, {1}, std::nullopt, during(10, 20)}}),
                      three_rounds());
  const auto lines = by_time.run();
  EXPECT_EQ(numbers_to(lines, 1), (std::vector<std::uint64_t>{200, 300}));
  EXPECT_EQ(numbers_to(lines, 2), (std::vector<std::uint64_t>{100, 200, 300}));
}

TEST(ReplayFault, RepeatsAnEarlierMessageBehindTheNewOne) {
  ScriptedRun run(3, with_faults({ReplayFault{0, 2, {2}, 1}}), three_rounds());
  const auto lines = run.run();
  EXPECT_EQ(numbers_to(lines, 1), (std::vector<std::uint64_t>{100, 200, 300}));
  EXPECT_EQ(numbers_to(lines, 2), (std::vector<std::uint64_t>{100, 200, 100, 300}));
}

TEST(NoiseFault, LosesAndCorruptsByChance) {
  std::vector<Step> script;
  for (int i = 1; i <= 1000; ++i) script.push_back(send(i, 0, 1, kProposal, 5000));
  for (int i = 1; i <= 100; ++i) script.push_back(send(i, 1, 0, kProposal, 5000));
  ScriptedRun run(2, with_faults({NoiseFault{0, 0.25, 0.5, 3, {}}}), script);
  const auto lines = run.run();
  const auto arrived = numbers_to(lines, 1);
  EXPECT_NEAR(static_cast<double>(arrived.size()), 750, 60);
  const auto intact = std::count(arrived.begin(), arrived.end(), 5000u);
  EXPECT_NEAR(static_cast<double>(intact), 375, 60);
  EXPECT_EQ(numbers_to(lines, 0), std::vector<std::uint64_t>(100, 5000)) << "node 1 is honest";
}

// ---- twins and clocks

// Both copies follow the script; each is heard by its own side only.
TEST(TwinsFault, EachCopyTalksWithItsOwnSide) {
  const std::vector<Step> script{send(10, 0, 1, kProposal, 1), send(10, 0, 2, kProposal, 2),
                                 send(20, 1, 0, kCommit, 3)};
  ScriptedRun run(3, with_faults({TwinsFault{0, {1}, {2}, std::nullopt}}), script);
  EXPECT_EQ(run.run(), (Lines{"10ms drop Proposal#2 0>2 schedule",
                              "10ms drop Proposal#1 0>1 schedule", "10ms deliver Proposal#1 0>1",
                              "10ms deliver Proposal#2 0>2", "20ms deliver Commit#3 1>0"}));
}

TEST(TwinsFault, WithoutSidesBothCopiesAreHeardByAll) {
  ScriptedRun run(3, with_faults({TwinsFault{0, {1, 2}, {1, 2}, std::nullopt}}),
                  {send(10, 0, 1, kProposal, 1), send(20, 1, 0, kCommit, 2)});
  EXPECT_EQ(run.run(), (Lines{"10ms deliver Proposal#1 0>1", "10ms deliver Proposal#1 0>1",
                              "20ms duplicate Commit#2 1>0", "20ms deliver Commit#2 1>0",
                              "20ms deliver Commit#2 1>0"}));
}

TEST(TwinsFault, SidesAreApartUntilTheyAreNot) {
  ScriptedRun run(3, with_faults({TwinsFault{0, {1}, {2}, milliseconds(15)}}),
                  {send(10, 1, 2, kProposal, 1), send(20, 1, 2, kProposal, 2)});
  EXPECT_EQ(run.run(), (Lines{"10ms drop Proposal#1 1>2 schedule", "20ms deliver Proposal#2 1>2"}));
}

TEST(TwinsFault, TheSecondCopyStopsWithTheFaultPhase) {
  ScriptedRun run(3, with_faults({TwinsFault{0, {1, 2}, {1, 2}, std::nullopt}}),
                  {end_fault_phase(5), send(10, 0, 1, kProposal, 1)});
  EXPECT_EQ(run.run(), (Lines{"10ms deliver Proposal#1 0>1"}));
}

TEST(SkewFault, AFastClockReachesItsTimersEarly) {
  ScriptedRun run(2, with_faults({SkewFault{0, {}, 250'000, {}}}),
                  {send(100, 0, 1, kProposal, 1), send(100, 1, 0, kProposal, 2)});
  EXPECT_EQ(run.run(), (Lines{"80ms deliver Proposal#1 0>1", "100ms deliver Proposal#2 1>0"}));
}

// ---- who is a liar

TEST(ByzantineNodes, AreThoseThatLieNotThoseThatAreCutOff) {
  MutateFault mutate;
  mutate.node = 4;
  const std::vector<Fault> plan{SilenceFault{0, {1}, 3, {}},
                                RoundPartitionFault{2, {{1}}},
                                SkewFault{2, milliseconds(1), 0, {}},
                                ReplayFault{6, 1, {1}, 1},
                                NoiseFault{3, 0.5, 0, 1, {}},
                                TwinsFault{5, {1}, {2}, std::nullopt},
                                mutate,
                                NoiseFault{1, 0, 0.1, 1, {}}};
  EXPECT_EQ(byzantine_nodes(plan), (NodeSet{1, 4, 5}));
}

// ---- random plans

TEST(RandomPartition, IsUniformOverTheSetPartitions) {
  Random random(11);
  std::map<std::vector<NodeSet>, int> counts;
  constexpr int kDraws = 15'000;
  for (int i = 0; i < kDraws; ++i) ++counts[random_partition(4, random)];
  EXPECT_EQ(counts.size(), 15u) << "the Bell number of 4";
  for (const auto& [partition, count] : counts) EXPECT_NEAR(count, 1000, 130);
}

TEST(RandomFaults, StayInTheSpaceAndFollowFromTheSeed) {
  const std::vector<NodeSet> pools{{0, 1, 2, 4}, {2, 4, 5, 6}};
  const FaultSpace::Liars space = read_liars(
      Options::from_toml("process_faults = 3\nnetwork_faults = 2\nrounds = [2, 7]\nnodes = [3]\n"
                         "receivers = [[0, 1, 2, 4], [2, 4, 5, 6]]\n",
                         "space"),
      scripted_description(), 7);
  Random random(5);
  Random same(5);
  std::size_t mutations = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Fault> plan = random_lies(space, 7, random);
    EXPECT_EQ(plan, random_lies(space, 7, same));
    std::set<std::uint64_t> rounds;
    for (const Fault& fault : plan) {
      const auto* mutate = fault.as<MutateFault>();
      if (mutate == nullptr) continue;
      ++mutations;
      EXPECT_EQ(mutate->node, 3);
      EXPECT_TRUE(mutate->round >= 2 && mutate->round <= 7);
      EXPECT_TRUE(rounds.insert(mutate->round).second) << "one fault per round";
      const bool left = std::includes(pools[0].begin(), pools[0].end(), mutate->receivers.begin(),
                                      mutate->receivers.end());
      const bool right = std::includes(pools[1].begin(), pools[1].end(), mutate->receivers.begin(),
                                       mutate->receivers.end());
      EXPECT_TRUE(left || right);
      EXPECT_FALSE(mutate->receivers.empty());
    }
  }
  EXPECT_GT(mutations, 600u);
}

}  // namespace
}  // namespace dissensus::faults
