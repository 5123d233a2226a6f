// Whole networks: the acceptance list of consensus.md 19.5 and the timeline of 19.6.
#include <algorithm>

#include <gtest/gtest.h>

#include "systems/xrpl/simulation.h"

namespace dissensus::xrpl::testing {
namespace {

const std::string kGenesis = "start = \"genesis\"\nnetwork_time = 780000003\n";

double seconds_of(Time time) {
  return static_cast<double>(microseconds_of(time)) / 1e6;
}

/// Times at which a node built each sequence.
std::map<std::uint64_t, double> built_at(Simulation& simulation, NodeId node) {
  std::map<std::uint64_t, double> times;
  for (const Decision& decision : simulation.collector->decisions["built"]) {
    if (decision.node == node) times[decision.instance] = seconds_of(decision.time);
  }
  return times;
}

std::string silent_text() {
  return "heartbeat_phases = [100, 300, 500, 700, 900]\n";
}

/// Nothing from or to these nodes gets through.
LinkRule silence(std::set<NodeId> nodes) {
  return [nodes](NodeId from, NodeId to, const Message&) -> std::optional<Duration> {
    if (nodes.count(from) != 0 || nodes.count(to) != 0) return std::nullopt;
    return Duration{};
  };
}

// 19.5 (a): lone acceptance, the idle rule, then a ledger every three seconds.
TEST(Network, FreshNetworkFindsItsPace) {
  Simulation simulation(kGenesis);
  simulation.run(seconds(60));
  const auto times = built_at(simulation, 0);
  ASSERT_GE(times.size(), 10u);
  EXPECT_LT(times.at(2), 4.0) << "closed and accepted alone";
  // Rounded close time 780000000, idle 20 s: closed at network time ...20, which is 17 s.
  EXPECT_GE(times.at(3), 19.0);
  EXPECT_LT(times.at(3), 21.0);
  for (std::uint64_t seq = 4; seq + 1 < times.size(); ++seq) {
    EXPECT_NEAR(times.at(seq + 1) - times.at(seq), 3.0, 0.03) << seq;
  }
  EXPECT_FALSE(simulation.differ("built"));
  for (NodeId node = 0; node < 5; ++node) EXPECT_GE(simulation.validated(node), 12u);
  const auto first = simulation.collector->decisions["ledger"].front();
  EXPECT_GT(seconds_of(first.time), 19.0) << "partial validations reach no quorum";
}

// 5.4: in 2.4.0 the lone first acceptance takes 15 s.
TEST(Network, LaterVersionsWaitAloneForFifteenSeconds) {
  Simulation simulation(kGenesis + "profile = \"2.4.0\"\n");
  simulation.run(seconds(60));
  const auto times = built_at(simulation, 0);
  EXPECT_GT(times.at(2), 15.0);
  EXPECT_LT(times.at(2), 18.0);
  EXPECT_GE(simulation.validated(0), 6u);
}

// 19.5 (b), in every version: a transaction is in a ledger within two rounds.
TEST(Network, OneTransactionIsValidated) {
  for (const std::string profile : {"1.7.2", "2.4.0", "2.5.0"}) {
    Simulation simulation("profile = \"" + profile + "\"\n" + kAccounts +
                          "[[workload]]\nat = \"5s\"\nnode = 1\nfrom = \"alice\"\nto = "
                          "\"bob\"\namount = 20\n");
    simulation.run(seconds(14));
    for (NodeId node = 0; node < 5; ++node) {
      EXPECT_EQ(simulation.observed("validated", node), 1) << profile;
    }
    EXPECT_FALSE(simulation.differ("built")) << profile;
  }
}

// 19.5 (c): of conflicting payments exactly one is applied, everywhere the same.
TEST(Network, ConflictingPaymentsApplyOnce) {
  for (const std::string profile : {"1.7.2", "2.4.0", "2.5.0"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Simulation simulation("profile = \"" + profile + "\"\n" + kAccounts + double_spend("same"),
                            milliseconds(20), seed);
      simulation.run(seconds(20));
      for (NodeId node = 0; node < 5; ++node) {
        EXPECT_EQ(simulation.observed("validated", node), 1) << profile << " seed " << seed;
        EXPECT_EQ(simulation.observed("cancelled", node), 3) << profile << " seed " << seed;
      }
      EXPECT_FALSE(simulation.differ("ledger"));
    }
  }
}

// Thesis 3.4: with consecutive sequences one succeeds and three are claimed as unfunded.
TEST(Network, ConsecutiveOverspendingClaimsFees) {
  Simulation simulation(kAccounts + double_spend("next"), milliseconds(20));
  simulation.run(seconds(30));
  for (NodeId node = 0; node < 5; ++node) {
    EXPECT_EQ(simulation.observed("validated", node), 1);
    EXPECT_EQ(simulation.observed("failed", node), 3);
    EXPECT_EQ(simulation.observed("settled", node), 4);
  }
}

// 19.5 (d): four of five go on at the same pace.
TEST(Network, OneSilentNodeDoesNotStopTheOthers) {
  Simulation simulation(silent_text());
  simulation.interposer.rule = silence({4});
  simulation.run(seconds(40));
  for (NodeId node = 0; node < 4; ++node) EXPECT_GE(simulation.validated(node), 15u);
  const auto times = built_at(simulation, 0);
  EXPECT_NEAR(times.at(10) - times.at(9), 3.0, 0.01);
}

// 19.5 (e): with two silent, ledgers may be built but none is validated.
TEST(Network, TwoSilentNodesStopValidation) {
  Simulation simulation(silent_text() + "first_close = \"0s\"\n");
  simulation.interposer.rule = silence({3, 4});
  simulation.run(seconds(60));
  for (NodeId node = 0; node < 5; ++node) EXPECT_EQ(simulation.validated(node), 0u);
  EXPECT_FALSE(simulation.collector->decisions["built"].empty());
}

/// 19.5 (f): T1 reaches nodes 0..2, T2 reaches 3 and 4; candidate sets travel six seconds longer.
std::unique_ptr<Simulation> b3_network(const std::string& profile, const std::string& bugs,
                                       Duration extra) {
  auto simulation = std::make_unique<Simulation>(
      "profile = \"" + profile + "\"\nbugs = [" + bugs +
      "]\nfirst_close = \"2s\"\nheartbeat_phases = [100, 300, 500, 700, 900]\n" + kAccounts +
      "[[workload]]\nat = \"1.5s\"\nnode = 0\nfrom = \"alice\"\nto = \"bob\"\namount = "
      "80\nsequence = \"same\"\n"
      "[[workload]]\nat = \"1.5s\"\nnode = 3\nfrom = \"alice\"\nto = \"carol\"\namount = "
      "80\nsequence = \"same\"\n");
  simulation->interposer.rule = [extra](NodeId from, NodeId to,
                                        const Message& message) -> std::optional<Duration> {
    if (const auto* data = message.get<LedgerData>()) {
      if (data->item == ItemType::candidate) return extra;
    }
    // The first copies divide the network three to two.
    if (message.get<TransactionMessage>() != nullptr && (from < 3) != (to < 3)) {
      return Duration(seconds(1));
    }
    return Duration{};
  };
  return simulation;
}

TEST(Network, B3StallsForEver) {
  const auto owner = b3_network("1.7.2", "", seconds(6));
  Simulation& simulation = *owner;
  simulation.run(seconds(300));
  Time last{};
  for (const Decision& decision : simulation.collector->decisions["ledger"]) {
    last = std::max(last, decision.time);
  }
  EXPECT_LT(seconds_of(last), 15.0);
  for (NodeId node = 0; node < 5; ++node) {
    EXPECT_EQ(simulation.observed("settled", node), 0);
    EXPECT_GE(simulation.observed("failed_set_acquisitions", node), 1);
    EXPECT_GT(simulation.observed("max_propose_seq", node), 5) << "repeated every 12 s";
  }
}

TEST(Network, B3FixedRecovers) {
  for (const std::string& profile : {std::string("1.7.2"), std::string("2.4.0")}) {
    const auto owner = b3_network(profile, profile == "1.7.2" ? "\"B3-fixed\"" : "", seconds(6));
    Simulation& simulation = *owner;
    simulation.run(seconds(120));
    for (NodeId node = 0; node < 5; ++node) {
      EXPECT_EQ(simulation.observed("settled", node), 2) << profile;
    }
    EXPECT_FALSE(simulation.differ("ledger"));
  }
}

TEST(Network, CandidateSetsInTimeDoNotStall) {
  const auto owner = b3_network("1.7.2", "", seconds(2));
  Simulation& simulation = *owner;
  simulation.run(seconds(60));
  for (NodeId node = 0; node < 5; ++node) EXPECT_EQ(simulation.observed("settled", node), 2);
}

/// Clocks that are this many seconds off: 19.5 (g) and (h).
std::unique_ptr<Simulation> skewed(const std::vector<std::int64_t>& offsets) {
  auto simulation = std::make_unique<Simulation>(
      "network_time = 780000000\nfirst_close = \"0s\"\n" + silent_text());
  for (const std::int64_t offset : offsets) {
    simulation->plan.skew.push_back({Duration(seconds(offset)), 0});
  }
  return simulation;
}

// 19.5 (g): five bins, nobody agrees: close time 0 wins and the resolution gets coarser.
TEST(Network, SkewedClocksAgreeOnNoTime) {
  const auto owner = skewed({0, 10, 20, 30, 40});
  Simulation& simulation = *owner;
  std::set<NetTime> second_positions;
  simulation.interposer.rule = [&](NodeId, NodeId,
                                   const Message& message) -> std::optional<Duration> {
    const auto* proposal = message.get<ProposeSet>();
    if (proposal != nullptr && proposal->propose_seq == 1) {
      second_positions.insert(proposal->close_time);
    }
    return Duration{};
  };
  simulation.run(seconds(5));
  EXPECT_EQ(second_positions, std::set<NetTime>{0});
  ASSERT_FALSE(simulation.collector->decisions["built"].empty());
  EXPECT_FALSE(simulation.differ("built"));
}

// 19.5 (g) continued: closeOffset pulls the clocks together, so that times are agreed on again.
TEST(Network, SkewedClocksConverge) {
  const auto owner = skewed({0, 10, 20, 30, 40});
  Simulation& simulation = *owner;
  Time last_disagreement{};
  simulation.interposer.rule = [&](NodeId, NodeId,
                                   const Message& message) -> std::optional<Duration> {
    const auto* proposal = message.get<ProposeSet>();
    if (proposal != nullptr && proposal->close_time == 0) {
      last_disagreement = simulation.world->now();
    }
    return Duration{};
  };
  simulation.run(seconds(300));
  EXPECT_GT(last_disagreement, Time{});
  EXPECT_LT(last_disagreement, Time{seconds(100)});
  for (NodeId node = 0; node < 5; ++node) EXPECT_GE(simulation.validated(node), 60u);
  EXPECT_FALSE(simulation.differ("built"));
}

// 19.5 (h): one skewed clock adopts the majority's bin.
TEST(Network, OneSkewedClockFollows) {
  const auto owner = skewed({0, 0, 0, 0, 30});
  Simulation& simulation = *owner;
  std::set<NetTime> skewed_positions;
  simulation.interposer.rule = [&](NodeId, NodeId,
                                   const Message& message) -> std::optional<Duration> {
    const auto* proposal = message.get<ProposeSet>();
    if (proposal != nullptr && proposal->origin == 4 && proposal->propose_seq == 1) {
      skewed_positions.insert(proposal->close_time);
    }
    return Duration{};
  };
  simulation.run(seconds(30));
  ASSERT_FALSE(skewed_positions.empty());
  EXPECT_EQ(skewed_positions.count(0), 0u) << "the agree flag stays";
  EXPECT_FALSE(simulation.differ("built"));
  for (NodeId node = 0; node < 5; ++node) EXPECT_GE(simulation.validated(node), 12u);
}

// 19.6: accept two seconds after the proposal, next close one second later.
TEST(Network, TimelineOfARound) {
  Simulation simulation(
      "nodes = 7\nfirst_close = \"0s\"\nheartbeat_phases = [0, 10, 20, 30, 40, 50, 60]\n",
      milliseconds(5));
  simulation.run(seconds(20));
  std::vector<std::pair<std::uint64_t, double>> phases;
  for (const Decision& phase : simulation.collector->phases) {
    if (phase.node == 0) phases.emplace_back(phase.instance, seconds_of(phase.time));
  }
  double establish = -1;
  int rounds = 0;
  for (const auto& [phase, time] : phases) {
    if (phase == 1) {
      if (establish >= 0) {
        EXPECT_NEAR(time - establish, 3.0, 0.03);
      }
      establish = time;
      ++rounds;
    }
    if (phase == 2 && establish >= 0) {
      EXPECT_NEAR(time - establish, 2.0, 0.03);
    }
  }
  EXPECT_GE(rounds, 6);
}

// Recorded zero-delay runs of real servers: 80 proposals and 80 validations per round at most
// (5 origins, 16 link copies), 20 HaveTransactionSet per new set, 40 StatusChange per round.
TEST(Network, MessageCountsOfAQuietRound) {
  Simulation simulation("first_close = \"0s\"\n", milliseconds(1));
  simulation.run(seconds(31));
  const double rounds = static_cast<double>(simulation.decided("built").size());
  ASSERT_GE(rounds, 9);
  auto& sent = simulation.collector->sent;
  EXPECT_NEAR(static_cast<double>(sent["ProposeSet0"]) / rounds, 80, 12);
  EXPECT_NEAR(static_cast<double>(sent["Validation"]) / rounds, 80, 12);
  EXPECT_NEAR(static_cast<double>(sent["StatusChange"]) / rounds, 40, 4);
  EXPECT_EQ(sent["HaveTransactionSet"], 0u) << "the empty set is never announced";
}

// The same seed gives the same run; another seed another one.
TEST(Network, RunsAreDeterministic) {
  const auto hash = [](std::uint64_t seed) {
    Simulation simulation(kAccounts + double_spend("same"), milliseconds(30), seed);
    simulation.interposer.rule = [](NodeId from, NodeId to,
                                    const Message& message) -> std::optional<Duration> {
      return Duration(milliseconds((from * 733 + to * 389 + message.kind() * 211) % 2500));
    };
    simulation.run(seconds(60));
    return simulation.collector->hash.value();
  };
  EXPECT_EQ(hash(3), hash(3));
  EXPECT_NE(hash(3), hash(4));
}

// A node that crashes and comes back validates again.
TEST(Network, RestartedNodeCatchesUp) {
  Simulation simulation("heartbeat_phases = [100, 300, 500, 700, 900]\n");
  class Crash final : public sim::Interposer {
   public:
    void attach(sim::World& world) override {
      world.set_alarm(seconds(10), 0);
      world.set_alarm(seconds(40), 1);
    }
    void on_send(sim::World& world, sim::Transmission&& transmission) override {
      world.deliver(std::move(transmission), Duration{});
    }
    void on_alarm(sim::World& world, std::uint64_t tag) override {
      if (tag == 0) {
        world.crash(2);
      } else {
        world.restart(2);
      }
    }
  } crash;
  Collector collector(simulation.system->description());
  simulation.plan.limits.virtual_time = seconds(90);
  sim::World world(simulation.plan, *simulation.system, 1, collector, &crash, nullptr,
                   simulation.memory);
  world.run();
  std::uint64_t highest[5] = {};
  for (const Decision& decision : collector.decisions["ledger"]) {
    highest[decision.node] = std::max(highest[decision.node], decision.instance);
  }
  EXPECT_GE(highest[0], 30u);
  EXPECT_GE(highest[2] + 1, highest[0]);
  bool validates_again = false;
  for (const Decision& decision : collector.decisions["validation"]) {
    validates_again |= decision.node == 2 && decision.time > Time{seconds(60)};
  }
  EXPECT_TRUE(validates_again);
}

// Without relaying, a broken link is not masked by the others.
TEST(Network, RelayMasksABrokenLink) {
  for (const bool relay : {true, false}) {
    Simulation simulation(std::string("relay = ") + (relay ? "true" : "false") +
                          "\nfirst_close = \"0s\"\n" + silent_text());
    simulation.interposer.rule = [](NodeId from, NodeId to,
                                    const Message&) -> std::optional<Duration> {
      if (from != 0 && to == 4) return std::nullopt;
      return Duration{};
    };
    simulation.run(seconds(30));
    if (relay) {
      EXPECT_GE(simulation.validated(4), 12u);
    } else {
      EXPECT_EQ(simulation.validated(4), 0u);
    }
    EXPECT_GE(simulation.validated(0), 12u);
  }
}

// 16, insufficient support: two UNLs of five with an overlap of three.
TEST(Network, TwoUnlsRunWhileNobodyLies) {
  Simulation simulation("nodes = 7\nunl = \"two-unl\"\n");
  simulation.run(seconds(40));
  for (NodeId node = 0; node < 7; ++node) EXPECT_GE(simulation.validated(node), 14u);
  EXPECT_FALSE(simulation.differ("ledger"));
}

// Messages travel over several hops where not all nodes are linked.
TEST(Network, RingTopologyFloods) {
  Simulation simulation("topology = [[1], [2], [3], [4], [0]]\n", milliseconds(10));
  simulation.run(seconds(40));
  for (NodeId node = 0; node < 5; ++node) EXPECT_GE(simulation.validated(node), 14u);
}

/// Any value at all for a field of this type.
FieldValue random_value(const FieldValue& like, Random& random) {
  const std::uint64_t number = random.chance(0.5) ? random.next() : random.below(12);
  if (std::holds_alternative<Digest>(like)) return Digest{random.below(2), number};
  if (std::holds_alternative<std::int64_t>(like)) return static_cast<std::int64_t>(number);
  return number;
}

// Whatever a Byzantine node sends, nodes go on: no message content breaks an invariant.
TEST(Network, SurvivesArbitraryFieldValues) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Simulation simulation(kAccounts + double_spend("same"), milliseconds(20), seed);
    Random random(seed, "mutations");
    const SystemDescription& description = simulation.system->description();
    std::uint64_t mutated = 0;
    simulation.interposer.rewrite = [&](sim::World& world, NodeId, NodeId,
                                        const Message& message) -> Message {
      if (!random.chance(0.1)) return message;
      const PayloadDescription& payload =
          description.payloads[description.kinds[message.kind()].payload];
      const std::size_t field = random.below(payload.fields.size());
      if (!payload.setters[field]) return message;
      ++mutated;
      const FieldValue old = payload.getters[field](message.object());
      return world.pool().with_field(message, description, field, random_value(old, random));
    };
    simulation.run(seconds(90));
    EXPECT_GT(mutated, 100u);
    EXPECT_EQ(simulation.stop, sim::StopReason::time_limit);
  }
}

// Versions can be mixed.
TEST(Network, MixedProfilesAgree) {
  Simulation simulation("profiles = [\"1.7.2\", \"1.7.2\", \"2.4.0\", \"2.4.0\", \"2.5.0\"]\n" +
                        kAccounts + double_spend("same"));
  simulation.run(seconds(40));
  for (NodeId node = 0; node < 5; ++node) {
    EXPECT_EQ(simulation.observed("settled", node), 4);
    EXPECT_GE(simulation.validated(node), 14u);
  }
  EXPECT_FALSE(simulation.differ("ledger"));
}

}  // namespace
}  // namespace dissensus::xrpl::testing
