// Online schedulers: PCT keeps its probability bound, partial-order sampling draws races evenly,
// Q-learning turns to what it has not done.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/options.h"

#include "search/online_searches.h"
#include "search/partial_order.h"
#include "search/pct.h"
#include "search/q_learning.h"

namespace dissensus::search {
namespace {

PendingMessage message(std::size_t from, std::size_t to, std::uint64_t number) {
  PendingMessage result;
  result.from = static_cast<NodeId>(from);
  result.to = static_cast<NodeId>(to);
  result.kind = 0;
  result.number = number;
  return result;
}

/// Delivers all messages of an inbox; returns their numbers in the order of delivery.
std::vector<std::uint64_t> deliver_all(Scheduler& scheduler, std::vector<PendingMessage> inbox,
                                       std::size_t nodes) {
  scheduler.start(nodes, 1);
  for (const PendingMessage& waiting : inbox) scheduler.arrived(waiting);
  std::vector<std::uint64_t> order;
  while (!inbox.empty()) {
    const std::size_t index = scheduler.pick(inbox);
    order.push_back(inbox.at(index).number);
    inbox.erase(inbox.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return order;
}

/// Several chains, from nodes 0, 1, 2... to the last node, with independent messages; message i of
/// chain c has number i x chains + c.
struct Chains {
  std::size_t chains;
  std::size_t length;

  std::size_t steps() const { return chains * length; }
  std::uint64_t number(std::size_t chain, std::size_t index) const {
    return index * chains + chain;
  }
  std::vector<PendingMessage> inbox() const {
    std::vector<PendingMessage> result;
    for (std::size_t i = 0; i < steps(); ++i) result.push_back(message(i % chains, chains, i));
    return result;
  }
  std::vector<std::uint64_t> run(Scheduler& scheduler) const {
    return deliver_all(scheduler, inbox(), chains + 1);
  }
};

/// The bug of a tuple of events (strong hitting, Ozkan et al. 3): what comes after the i-th of them
/// is one of the later ones, or follows it or a later one on its chain.
bool hits(const Chains& chains, const std::vector<std::uint64_t>& order,
          const std::vector<std::uint64_t>& tuple) {
  const auto follows = [&](std::uint64_t event, std::uint64_t other) {
    return event % chains.chains == other % chains.chains && event >= other;
  };
  std::size_t reached = 0;  // events of the tuple so far
  for (const std::uint64_t event : order) {
    if (reached < tuple.size() && event == tuple[reached]) {
      ++reached;
      continue;
    }
    if (reached == 0) {
      if (std::find(tuple.begin(), tuple.end(), event) != tuple.end()) return false;
      continue;
    }
    const bool allowed =
        std::any_of(tuple.begin() + static_cast<std::ptrdiff_t>(reached) - 1, tuple.end(),
                    [&](std::uint64_t other) { return follows(event, other); });
    const bool too_early = std::find(tuple.begin() + static_cast<std::ptrdiff_t>(reached),
                                     tuple.end(), event) != tuple.end();
    if (!allowed || too_early) return false;
  }
  return reached == tuple.size();
}

/// Rejects "the probability is at least `bound`" only where chance would do so once in 30 000
/// times.
void expect_frequency_at_least(std::size_t hit, std::size_t runs, double bound) {
  const double expected = static_cast<double>(runs) * bound;
  const double deviation = std::sqrt(expected * (1 - bound));
  EXPECT_GE(static_cast<double>(hit), expected - 4 * deviation) << "bound " << bound;
}

void check_bound(const Chains& chains, const std::vector<std::uint64_t>& tuple, std::size_t runs) {
  const auto depth = static_cast<std::uint32_t>(tuple.size());
  std::size_t hit = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    PctScheduler scheduler(seed, {depth, chains.steps()});
    hit += hits(chains, chains.run(scheduler), tuple) ? 1 : 0;
  }
  double bound = 1.0 / static_cast<double>(chains.chains);
  for (std::uint32_t i = 1; i < depth; ++i) bound /= static_cast<double>(chains.steps());
  SCOPED_TRACE("depth " + std::to_string(depth) + ", hit " + std::to_string(hit));
  EXPECT_GT(hit, 0u);
  expect_frequency_at_least(hit, runs, bound);
}

TEST(Pct, HitsBugsOfKnownDepthAtLeastAsOftenAsItsBound) {
  const Chains four{4, 4};
  check_bound(four, {four.number(2, 0)}, 4000);
  check_bound(four, {four.number(2, 2)}, 4000);
  check_bound(four, {four.number(0, 2), four.number(3, 1)}, 30'000);
  check_bound(four, {four.number(1, 0), four.number(2, 0)}, 30'000);
  const Chains three{3, 3};
  check_bound(three, {three.number(0, 1), three.number(1, 1), three.number(2, 2)}, 60'000);
}

TEST(Pct, ShallowerSchedulerMissesTheDeepBug) {
  // The bug of depth 2 in the middle of two chains needs a change point.
  const Chains chains{4, 4};
  const std::vector<std::uint64_t> tuple{chains.number(0, 2), chains.number(3, 1)};
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    PctScheduler scheduler(seed, {1, chains.steps()});
    EXPECT_FALSE(hits(chains, chains.run(scheduler), tuple));
  }
}

TEST(Pct, KeepsTheOrderOfEachLink) {
  const Chains chains{3, 10};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    PctScheduler scheduler(seed, {4, chains.steps()});
    std::vector<std::uint64_t> last(chains.chains);
    for (const std::uint64_t number : chains.run(scheduler)) {
      EXPECT_GE(number, last[number % chains.chains]);
      last[number % chains.chains] = number;
    }
  }
}

/// Two chains that race with each other, and beside them many messages, each alone at its receiver.
std::vector<PendingMessage> two_chains_and_quiet_ones() {
  std::vector<PendingMessage> inbox;
  for (std::uint64_t i = 0; i < 8; ++i) inbox.push_back(message(i % 2, 2, i));
  for (std::uint64_t i = 0; i < 40; ++i) inbox.push_back(message(2, 3 + i % 4, 8 + i));
  return inbox;
}

TEST(TracePct, OnlyRacingStepsAreCounted) {
  const Chains chains{2, 4};
  const auto hit_by = [&](bool races_only, std::uint64_t steps) {
    std::size_t hit = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
      PctScheduler scheduler(seed, {2, steps, races_only});
      std::vector<std::uint64_t> order = deliver_all(scheduler, two_chains_and_quiet_ones(), 7);
      if (races_only) {
        EXPECT_LE(scheduler.steps(), 7u);
      }
      std::erase_if(order, [](std::uint64_t number) { return number >= 8; });
      hit += hits(chains, order, {chains.number(0, 2), chains.number(1, 2)}) ? 1 : 0;
    }
    return hit;
  };
  // The bound with the racing steps alone, 1 / (chains x 8), and with all of them, 1 / (chains x
  // 48).
  const std::size_t aware = hit_by(true, 8);
  expect_frequency_at_least(aware, 6000, 1.0 / (6 * 8));
  EXPECT_GT(aware, 2 * hit_by(false, 48));
}

TEST(Rapos, DrawsTheOrdersOfOneRaceEvenly) {
  std::vector<PendingMessage> inbox{message(0, 3, 0), message(1, 3, 1), message(2, 3, 2)};
  for (std::uint64_t i = 3; i < 9; ++i) inbox.push_back(message(2, 4 + i % 2, i));
  constexpr std::size_t kRuns = 6000;
  std::map<std::vector<std::uint64_t>, std::size_t> orders;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    RaposScheduler scheduler(seed);
    std::vector<std::uint64_t> order = deliver_all(scheduler, inbox, 6);
    EXPECT_EQ(order.size(), inbox.size());
    std::erase_if(order, [](std::uint64_t number) { return number >= 3; });
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(static_cast<double>(count), 1000, 130);
}

// Two messages to one receiver never stand in one batch, and a batch begins with what raced with
// the one before, while there is such a message.
TEST(Rapos, BatchesFollowRaces) {
  // Receiver 1 has four messages, receiver 2 one: once receiver 1 has begun without receiver 2,
  // only receiver 1 may go on.
  const std::vector<PendingMessage> inbox{message(0, 1, 0), message(3, 1, 1), message(4, 1, 2),
                                          message(5, 1, 3), message(0, 2, 4)};
  std::set<std::size_t> places;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    RaposScheduler scheduler(seed);
    const std::vector<std::uint64_t> order = deliver_all(scheduler, inbox, 6);
    places.insert(
        static_cast<std::size_t>(std::find(order.begin(), order.end(), 4) - order.begin()));
  }
  EXPECT_EQ(places, (std::set<std::size_t>{0, 1, 4}));
}

TEST(PartialOrderSampling, DrawsTheOrdersOfOneRaceEvenly) {
  const std::vector<PendingMessage> inbox{message(0, 3, 0), message(1, 3, 1), message(2, 3, 2)};
  constexpr std::size_t kRuns = 6000;
  std::map<std::vector<std::uint64_t>, std::size_t> orders;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    PartialOrderScheduler scheduler(seed);
    ++orders[deliver_all(scheduler, inbox, 4)];
  }
  ASSERT_EQ(orders.size(), 6u);
  double chi_square = 0;
  for (const auto& [order, count] : orders) {
    const double difference = static_cast<double>(count) - kRuns / 6.0;
    chi_square += difference * difference / (kRuns / 6.0);
  }
  EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom, 0.1 %
}

TEST(PartialOrderSampling, MessagesToOthersDoNotDisturbRace) {
  std::vector<PendingMessage> quiet{message(0, 2, 0), message(1, 2, 1)};
  std::vector<PendingMessage> noisy = quiet;
  for (std::uint64_t i = 2; i < 12; ++i) noisy.push_back(message(3, 4, i));
  const auto first_wins = [](const std::vector<PendingMessage>& inbox) {
    std::size_t wins = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      PartialOrderScheduler scheduler(seed);
      const std::vector<std::uint64_t> order = deliver_all(scheduler, inbox, 5);
      wins += std::find(order.begin(), order.end(), 0) < std::find(order.begin(), order.end(), 1);
    }
    return static_cast<double>(wins) / 4000;
  };
  EXPECT_NEAR(first_wins(quiet), 0.5, 0.03);
  EXPECT_NEAR(first_wins(noisy), 0.5, 0.03);
}

Options parameters(const std::string& toml) {
  return Options::from_toml(toml, "parameters");
}

TEST(QLearning, LearnsToDoWhatItHasNotDone) {
  // One decision per run between eight messages. A learner spreads its choices more evenly than
  // chance: after each eight runs nearly all were taken.
  std::vector<PendingMessage> inbox;
  for (std::size_t i = 0; i < 8; ++i) inbox.push_back(message(i, 8, i));
  const auto search =
      make_q_learning({}, parameters("refresh = 1\nlearning_rate = 1.0\nreward = -20"));
  std::size_t repeats = 0;
  for (int block = 0; block < 20; ++block) {
    std::set<std::uint64_t> first;
    for (int run = 0; run < 8; ++run) {
      const std::optional<Candidate> candidate = search->ask();
      ASSERT_TRUE(candidate.has_value());
      Scheduler& scheduler = *candidate->scheduler;
      scheduler.start(9, 1);
      first.insert(inbox[scheduler.pick(inbox)].number);
      search->tell(*candidate, {});
    }
    if (block == 0) {
      EXPECT_EQ(first.size(), 8u);
    }
    repeats += 8 - first.size();
  }
  EXPECT_LT(repeats, 100u);
}

TEST(QLearning, TableIsWhatTheUpdateRuleSays) {
  const PendingMessage only = message(0, 1, 0);
  QTable values;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const auto run = [&](const QParameters& learning) {
    QScheduler scheduler(1, std::make_shared<const QTable>(values));
    scheduler.start(2, 1);
    scheduler.state_changed(0, 1);
    first = scheduler.pair_of(only);
    scheduler.pick({&only, 1});
    scheduler.state_changed(0, 2);
    second = scheduler.pair_of(only);
    scheduler.pick({&only, 1});
    scheduler.teach(values, learning);
  };
  run({0.3, 0.7, -1});
  EXPECT_NE(first, second);
  EXPECT_DOUBLE_EQ(values.value(first), -0.3);
  EXPECT_DOUBLE_EQ(values.value(second), -0.3);
  run({0.3, 0.7, -1});
  EXPECT_DOUBLE_EQ(values.value(first), 0.7 * -0.3 + 0.3 * (-1 + 0.7 * -0.3));
  EXPECT_DOUBLE_EQ(values.value(second), 0.7 * -0.3 + 0.3 * -1);
  EXPECT_EQ(values.size(), 2u);
}

TEST(QTable, RemembersManyPairs) {
  QTable table;
  for (std::uint64_t i = 1; i <= 5000; ++i)
    table.set(i * 0x9E3779B97F4A7C15ULL, static_cast<double>(i));
  EXPECT_EQ(table.size(), 5000u);
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    EXPECT_EQ(table.value(i * 0x9E3779B97F4A7C15ULL), static_cast<double>(i));
  }
  EXPECT_EQ(table.value(12345), 0);
}

/// The same seed gives the same runs, whether results come at once or several are under way.
TEST(OnlineSearches, SameSeedGivesTheSameChoices) {
  const Chains chains{4, 4};
  for (const SearchEntry& entry : online_searches()) {
    SCOPED_TRACE(entry.name);
    std::vector<std::vector<std::uint64_t>> orders[2];
    for (auto& list : orders) {
      SearchContext context;
      context.seed = 5;
      const auto search = entry.make(context, parameters(""));
      for (int round = 0; round < 10; ++round) {
        std::vector<Candidate> under_way;
        for (int i = 0; i < 4; ++i) under_way.push_back(search->ask().value());
        for (const Candidate& candidate : under_way)
          list.push_back(chains.run(*candidate.scheduler));
        for (const Candidate& candidate : under_way) search->tell(candidate, {});
      }
    }
    EXPECT_EQ(orders[0], orders[1]);
    EXPECT_GT(std::set(orders[0].begin(), orders[0].end()).size(), 10u);
  }
}

TEST(OnlineSearches, EveryParameterIsAskedForAndChecked) {
  for (const SearchEntry& entry : online_searches()) {
    const Options options = parameters("unknown = 1");
    entry.make({}, options);
    EXPECT_THROW(options.finish(), InputError);
  }
  EXPECT_THROW(make_pct({}, parameters("depth = 0")), InputError);
  EXPECT_THROW(make_q_learning({}, parameters("learning_rate = 2")), InputError);
}

}  // namespace
}  // namespace dissensus::search
