// One test case of the thesis in the simulator: measured alike in every run, ended as recorded ones
// are, and the oracle for B1 tells it from the correct server.
#include "simulated_case.h"

#include <gtest/gtest.h>

#include "run/schedule_space.h"

namespace dissensus::studies {
namespace {

faults::Schedule late(std::uint32_t transactions_ms, std::uint32_t acquisition_ms) {
  const faults::GeneSpace genes{kNodes, kKinds};
  faults::DelaySchedule delays;
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    const std::string_view kind = kKindNames[genes.gene(gene).kind];
    const bool acquisition = kind == "GetLedger" || kind == "LedgerData";
    delays.delay_ms.push_back(acquisition ? acquisition_ms
                                          : (kind == "Transaction" ? transactions_ms : 0));
  }
  faults::Schedule schedule;
  schedule.scheduler = std::move(delays);
  return schedule;
}

TEST(SimulatedCaseTest, WithoutDelaysTheCaseSettlesAsRecorded) {
  run::Runner runner;
  CaseOptions options;
  options.recovery = true;
  const SimulatedCase simulated = simulate_case(runner, make_scenario({}), {}, 3, options);
  const CaseMetrics& metrics = simulated.metrics;
  EXPECT_EQ(metrics.outcome, CaseOutcome::settled);
  EXPECT_EQ(metrics.succeeded, 1u);
  EXPECT_GT(metrics.window_s, 4);
  EXPECT_LT(metrics.window_s, 12);
  for (const double interval : metrics.intervals_s) EXPECT_NEAR(interval, 3.3, 0.9);
  EXPECT_FALSE(metrics.sets_differ || metrics.built_differ || metrics.ledgers_differ);
  EXPECT_TRUE(simulated.recovered);
  EXPECT_NEAR(simulated.recovery_s, 6, 1.5);
  EXPECT_TRUE(simulated.verdict.violations.empty());
}

TEST(SimulatedCaseTest, TheSameArgumentsGiveTheSameMetrics) {
  const run::Scenario scenario = make_scenario({});
  Random random(5);
  const faults::Schedule schedule = run::random_schedule(scenario, random);
  run::Runner first;
  run::Runner second;
  const CaseMetrics a = simulate_case(first, scenario, schedule, 9, {}).metrics;
  const CaseMetrics b = simulate_case(second, scenario, schedule, 9, {}).metrics;
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.window_s, b.window_s);
  EXPECT_EQ(a.intervals_s, b.intervals_s);
}

// Group c-tx of the recorded executions: four initial sets that nobody can get within 5250 ms.
TEST(SimulatedCaseTest, LateSetsStopVersion172ForGoodAndVersion240Not) {
  run::Runner runner;
  CaseOptions options;
  options.recovery = true;
  std::size_t stuck = 0;
  std::size_t recovered = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const SimulatedCase old =
        simulate_case(runner, make_scenario({}), late(1000, 3000), seed, options);
    stuck += old.metrics.stuck && !old.recovered ? 1 : 0;
    CaseSetup later;
    later.profile = "2.4.0";
    later.reserve_xrp = 10;
    later.balance_drops = {100'000'100, 10'000'100, 10'000'100};
    const SimulatedCase fixed =
        simulate_case(runner, make_scenario(later), late(1000, 3000), seed, options);
    recovered += fixed.recovered ? 1 : 0;
  }
  EXPECT_GE(stuck, 2u);
  EXPECT_EQ(recovered, 8u);
}

TEST(SupportedConsensus, HoldsWithoutB1AndBreaksWithIt) {
  run::Runner runner;
  std::size_t correct = 0;
  std::size_t faulty = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    CaseSetup setup;
    setup.bugs = {"B3-fixed"};
    Random random(77, "schedule", i);
    draw_tags(setup, random);
    const run::Scenario scenario = make_scenario(setup);
    const faults::Schedule schedule = run::random_schedule(scenario, random);
    correct += simulate_case(runner, scenario, schedule, i, {}).unsupported;
    setup.bugs = {"B1", "B3-fixed"};
    faulty += simulate_case(runner, make_scenario(setup), schedule, i, {}).unsupported;
  }
  EXPECT_EQ(correct, 0u);
  EXPECT_GE(faulty, 1u);
}

}  // namespace
}  // namespace dissensus::studies
