// A run under an online scheduler leaves a schedule that gives the same run without it.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/random.h"

#include "run/runner.h"
#include "run/scenario.h"
#include "search/online_searches.h"
#include "search/partial_order.h"
#include "search/pct.h"
#include "search/q_learning.h"
#include "systems/simulated/simulated.h"

namespace dissensus::search {
namespace {

/// Delays each message by up to 2 s; some not at all.
class RandomDelays final : public Scheduler {
 public:
  explicit RandomDelays(std::uint64_t seed) : seed_(seed) {}
  bool picks() const override { return false; }
  void start(std::size_t, std::size_t) override { random_ = Random(seed_); }
  Duration delay(const PendingMessage&) override {
    return random_.chance(0.3) ? Duration{} : Duration{random_.between(1, 2'000'000)};
  }

 private:
  std::uint64_t seed_;
  Random random_;
};

std::vector<std::unique_ptr<Scheduler>> schedulers(std::uint64_t seed) {
  std::vector<std::unique_ptr<Scheduler>> result;
  result.push_back(std::make_unique<PctScheduler>(seed, PctScheduler::Parameters{}));
  result.push_back(std::make_unique<PartialOrderScheduler>(seed));
  result.push_back(std::make_unique<RandomWalkScheduler>(seed));
  result.push_back(std::make_unique<QScheduler>(seed, std::make_shared<const QTable>()));
  result.push_back(std::make_unique<RandomDelays>(seed));
  return result;
}

run::Scenario scenario(const std::string& name) {
  return run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/" + name + ".toml",
                            simulated_systems());
}

/// Through the file format, as a finding would go.
void expect_same_run(const run::Scenario& scenario, const faults::Schedule& plan,
                     Scheduler& scheduler, std::uint64_t seed) {
  run::Runner runner;
  run::RunOptions options;
  options.scheduler = &scheduler;
  const run::RunResult online = runner.run(scenario, plan, seed, options);
  ASSERT_TRUE(online.recorded.has_value());
  const std::string text =
      faults::to_json(*online.recorded, scenario.system_description(), scenario.nodes());
  const faults::Schedule read =
      faults::parse_schedule(text, "recorded", scenario.system_description(), scenario.nodes());
  EXPECT_EQ(read, *online.recorded);
  const run::RunResult again = runner.run(scenario, read, seed);
  EXPECT_EQ(again.hash, online.hash);
  EXPECT_EQ(again.events, online.events);
  EXPECT_EQ(again.verdict.outcome, online.verdict.outcome);
  // The scheduler itself starts afresh, too.
  EXPECT_EQ(runner.run(scenario, plan, seed, options).hash, online.hash);
}

TEST(OnlineReplay, RecordOfEverySchedulerGivesTheSameTraceHash) {
  for (const std::string name : {"xrpl/b2", "xrpl/thesis", "xrpl/correct-2.5.0"}) {
    const run::Scenario loaded = scenario(name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::size_t which = 0;
      for (const auto& scheduler : schedulers(seed)) {
        SCOPED_TRACE(name + " seed " + std::to_string(seed) + " scheduler " +
                     std::to_string(which++));
        expect_same_run(loaded, {}, *scheduler, seed);
      }
    }
  }
}

TEST(OnlineReplay, FaultsOfTheScheduleActBesideTheScheduler) {
  const run::Scenario loaded = scenario("xrpl/b2");
  faults::Schedule plan;
  faults::DropFault drop;
  drop.messages.from = NodeId{0};
  drop.count = 5;
  plan.faults.push_back(drop);
  faults::DuplicateFault duplicate;
  duplicate.messages.to = NodeId{1};
  duplicate.gap = std::chrono::milliseconds(300);
  duplicate.count = 20;
  plan.faults.push_back(duplicate);
  for (const auto& scheduler : schedulers(7)) expect_same_run(loaded, plan, *scheduler, 7);
}

constexpr std::string_view kPhases = R"(
format = "dissensus-scenario/1"
name = "phases"
[system]
kind = "xrpl"
nodes = 4
[network]
latency = "1ms"
[phases]
faults = { until = "17s" }
[oracle.termination]
level = "ledger"
goal = 9
bound = "100s"
[limits]
virtual_time = "1min"
)";

TEST(OnlineReplay, WhatWaitsAtTheEndOfTheFaultPhaseIsReleasedInBothRuns) {
  const run::Scenario loaded = run::parse_scenario(kPhases, "phases.toml", simulated_systems());
  for (const auto& scheduler : schedulers(3)) expect_same_run(loaded, {}, *scheduler, 3);
}

TEST(OnlineReplay, SchedulersMakeDifferenceToTheRun) {
  const run::Scenario loaded = scenario("xrpl/b2");
  run::Runner runner;
  std::vector<std::uint64_t> hashes{runner.run(loaded, {}, 1).hash};
  for (const auto& scheduler : schedulers(1)) {
    run::RunOptions options;
    options.scheduler = scheduler.get();
    hashes.push_back(runner.run(loaded, {}, 1, options).hash);
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace dissensus::search
