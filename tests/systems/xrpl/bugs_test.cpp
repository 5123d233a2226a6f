// Seeded and known bugs (consensus.md 16), and what holds without them.
#include <algorithm>

#include <gtest/gtest.h>

#include "systems/xrpl/simulation.h"

namespace dissensus::xrpl::testing {
namespace {

/// Thesis Algorithm 3 with random delays up to `max_ms`; `kinds` 0 means all.
LinkRule random_delays(std::uint64_t seed, std::size_t nodes, std::uint64_t max_ms,
                       std::size_t kinds = 0) {
  Random random(seed, "delays");
  std::vector<std::int64_t> delays(nodes * nodes * 13);
  for (std::int64_t& delay : delays) {
    delay = static_cast<std::int64_t>(random.below(max_ms + 1));
  }
  return [=](NodeId from, NodeId to, const Message& message) -> std::optional<Duration> {
    if (kinds != 0 && message.kind() >= kinds) return Duration{};
    return Duration(milliseconds(delays[(from * nodes + to) * 13 + message.kind()]));
  };
}

std::string bugs(const std::string& list) {
  return "bugs = [" + list + "]\n";
}

int runs_with_different_sets(const std::string& system, std::size_t kinds, int runs) {
  int different = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    Simulation simulation(system + kAccounts + double_spend("same"), milliseconds(1),
                          static_cast<std::uint64_t>(seed));
    simulation.interposer.rule = random_delays(static_cast<std::uint64_t>(seed), 5, 4000, kinds);
    simulation.run(seconds(40));
    different += simulation.differ("transaction-set") ? 1 : 0;
    EXPECT_FALSE(simulation.differ("ledger")) << "seed " << seed;
  }
  return different;
}

struct Progress {
  std::uint64_t ledgers = 0;     ///< sequences validated by node 0, summed over the runs
  std::int64_t regressions = 0;  ///< newer positions replaced by older ones
};

Progress progress_with_late_initial_proposals(const std::string& system, int runs) {
  Progress progress;
  for (int seed = 1; seed <= runs; ++seed) {
    Simulation simulation(system + kAccounts + double_spend("same"), milliseconds(1),
                          static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed), "receivers");
    std::vector<std::int64_t> delays(5);
    for (std::int64_t& delay : delays) delay = static_cast<std::int64_t>(random.below(3001));
    simulation.interposer.rule = [delays](NodeId, NodeId to,
                                          const Message& message) -> std::optional<Duration> {
      return Duration(milliseconds(message.kind() == 0 ? delays[to] : 0));
    };
    simulation.run(seconds(40));
    progress.ledgers += simulation.validated(0);
    for (NodeId node = 0; node < 5; ++node) {
      progress.regressions += simulation.observed("regressions", node);
    }
  }
  return progress;
}

// B1: initial proposals that come after their successors overwrite them, so that nodes count
// agreement on outdated positions and rounds converge later.
TEST(Bugs, B1CountsOutdatedPositions) {
  constexpr int kRuns = 150;
  const Progress correct = progress_with_late_initial_proposals(bugs("\"B3-fixed\""), kRuns);
  const Progress seeded = progress_with_late_initial_proposals(bugs("\"B1\", \"B3-fixed\""), kRuns);
  EXPECT_EQ(correct.regressions, 0);
  EXPECT_GT(seeded.regressions, kRuns);
  EXPECT_LT(seeded.ledgers + kRuns / 2, correct.ledgers);
}

// The threshold of 40 %: groups accept different sets before disputes are resolved.
TEST(Bugs, ThresholdFortySplitsRounds) {
  const std::string profile = "profile = \"2.4.0\"\n";
  const int correct = runs_with_different_sets(profile, 0, 30);
  const int seeded = runs_with_different_sets(profile + bugs("\"consensus-threshold-40\""), 0, 30);
  EXPECT_GE(seeded, 10);
  EXPECT_GT(seeded, 2 * correct);
}

/// Two groups that cannot hear each other; one of them gets a payment the other does not.
std::unique_ptr<Simulation> partitioned(const std::string& system) {
  auto simulation = std::make_unique<Simulation>(
      system + "first_close = \"0s\"\n" + kAccounts +
      "[[workload]]\nat = \"1s\"\nnode = 0\nfrom = \"alice\"\nto = \"bob\"\namount = 20\n");
  simulation->interposer.rule = [](NodeId from, NodeId to,
                                   const Message&) -> std::optional<Duration> {
    if ((from < 2) != (to < 2)) return std::nullopt;
    return Duration{};
  };
  return simulation;
}

// B2 with a true 40 % quorum: both sides of a partition validate, and they differ.
TEST(Bugs, B2FortyForksAPartition) {
  const auto simulation = partitioned(bugs("\"B2-40\""));
  simulation->run(seconds(40));
  EXPECT_TRUE(simulation->differ("ledger"));
}

// B2 as a changed constant is 60 %: three of five validate, two do not, no fork.
TEST(Bugs, B2SixtyNeedsThree) {
  const auto simulation = partitioned(bugs("\"B2\""));
  simulation->run(seconds(40));
  EXPECT_FALSE(simulation->differ("ledger"));
  EXPECT_EQ(simulation->validated(0), 0u);
  EXPECT_GT(simulation->validated(3), 6u);
}

TEST(Bugs, CorrectQuorumStopsInAPartition) {
  const auto simulation = partitioned("");
  simulation->run(seconds(40));
  for (NodeId node = 0; node < 5; ++node) EXPECT_EQ(simulation->validated(node), 0u);
}

/// Node 4 signs ledger H of sequence `seq` again as (H, seq + 1), after H has its quorum.
std::unique_ptr<Simulation> lying(const std::string& system, std::uint32_t seq) {
  auto simulation = std::make_unique<Simulation>(
      system + "first_close = \"0s\"\nheartbeat_phases = [100, 200, 300, 400, 900]\n",
      milliseconds(10));
  Simulation* host = simulation.get();
  simulation->interposer.rewrite = [host, seq](sim::World& world, NodeId, NodeId,
                                               const Message& message) -> Message {
    const auto* validation = message.get<Validation>();
    if (validation == nullptr || validation->origin != 4 || validation->ledger_seq != seq) {
      return message;
    }
    const auto& payload = host->system->description()
                              .payloads[host->system->description().kinds[message.kind()].payload];
    std::size_t field = 0;
    while (payload.fields[field].name != "ledger_seq") ++field;
    return world.pool().with_field(message, host->system->description(), field,
                                   std::uint64_t{seq} + 1);
  };
  return simulation;
}

// Incompatible ledger (up to 1.9): the lie overwrites the last validated pair, and nodes refuse to
// validate the real next ledger. Counting by (hash, seq) cures it.
TEST(Bugs, IncompatibleLedger) {
  const auto old = lying("", 8);
  old->run(seconds(40));
  int refusing = 0;
  for (NodeId node = 0; node < 4; ++node) refusing += old->observed("incompatible", node) > 0;
  EXPECT_GE(refusing, 2);

  const auto later = lying("profile = \"2.4.0\"\n", 8);
  later->run(seconds(40));
  for (NodeId node = 0; node < 4; ++node) {
    EXPECT_EQ(later->observed("incompatible", node), 0);
    EXPECT_GE(later->validated(node), 14u);
  }
  const auto reverted = lying("profile = \"2.4.0\"\n" + bugs("\"incompatible-ledger\""), 8);
  reverted->run(seconds(40));
  refusing = 0;
  for (NodeId node = 0; node < 4; ++node) refusing += reverted->observed("incompatible", node) > 0;
  EXPECT_GE(refusing, 2);
}

// Thesis 3.4 on what nodes report, in all versions under random delays: validity 1 to 3 and
// integrity 2 hold, and validated ledgers never differ.
TEST(Bugs, CorrectVersionsKeepValidityIntegrityAndAgreement) {
  for (const std::string profile : {"1.7.2", "2.4.0", "2.5.0"}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Simulation simulation("profile = \"" + profile + "\"\n" + kAccounts + double_spend("same"),
                            milliseconds(1), seed);
      simulation.interposer.rule = random_delays(seed + 1000, 5, 4000);
      simulation.run(seconds(60));
      auto& collector = *simulation.collector;
      for (const std::string level :
           {"transaction-set", "round-transaction", "validation", "switched", "ledger"}) {
        std::set<std::pair<std::uint64_t, Digest>> proposed;
        for (const Decision& entry : collector.proposals[level]) {
          proposed.insert({entry.instance, entry.value});
        }
        for (const Decision& entry : collector.decisions[level]) {
          EXPECT_EQ(proposed.count({entry.instance, entry.value}), 1u)
              << level << " " << profile << " seed " << seed;
        }
      }
      std::set<std::pair<NodeId, std::uint64_t>> validated;
      for (const Decision& entry : collector.decisions["validation"]) {
        EXPECT_TRUE(validated.insert({entry.node, entry.instance}).second) << "validated twice";
      }
      EXPECT_FALSE(simulation.differ("ledger")) << profile << " seed " << seed;
      for (NodeId node = 0; node < 5; ++node) {
        EXPECT_LE(simulation.observed("validated", node), 1);
      }
    }
  }
}

// After delays stop, every version recovers (B3 apart, which 1.7.2 has for good).
TEST(Bugs, NetworksRecoverWhenDelaysStop) {
  for (const std::string system :
       {"bugs = [\"B3-fixed\"]\n", "profile = \"2.4.0\"\n", "profile = \"2.5.0\"\n"}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Simulation simulation(system + kAccounts + double_spend("same"), milliseconds(1), seed);
      const LinkRule delays = random_delays(seed, 5, 4000);
      Simulation* host = &simulation;
      simulation.interposer.rule = [=](NodeId from, NodeId to, const Message& message) {
        return host->world->now() < Time{seconds(30)} ? delays(from, to, message)
                                                      : std::optional<Duration>(Duration{});
      };
      simulation.run(seconds(120));
      for (NodeId node = 0; node < 5; ++node) {
        EXPECT_GE(simulation.validated(node), 20u) << system << " seed " << seed;
        EXPECT_EQ(simulation.observed("settled", node), 4) << system << " seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace dissensus::xrpl::testing
