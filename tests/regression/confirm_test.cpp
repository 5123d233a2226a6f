#include "regression/confirm.h"

#include <gtest/gtest.h>

#include "dissensus/faults.h"
#include "dissensus/random.h"

#include "systems/simulated/simulated.h"

namespace dissensus::regression {
namespace {

Rate rate_of(std::size_t failing, std::size_t runs) {
  return {runs, failing, 0, 0};
}

TEST(CleanRuns, AreMoreForRareFailures) {
  EXPECT_FALSE(clean_runs_needed(rate_of(0, 100)).has_value());
  EXPECT_LE(*clean_runs_needed(rate_of(100, 100)), 2u);
  // Lower ends of Wilson's intervals: 0.131 and 0.0130.
  EXPECT_EQ(*clean_runs_needed(rate_of(20, 100)), 26u);
  EXPECT_EQ(*clean_runs_needed(rate_of(20, 1'000)), 283u);
}

TEST(JudgeRates, FailuresDecideAndTooFewRunsDoNot) {
  EXPECT_EQ(judge_rates(rate_of(20, 100), rate_of(1, 26), 26), Confirmation::not_fixed);
  EXPECT_EQ(judge_rates(rate_of(20, 100), rate_of(0, 26), 26), Confirmation::fixed);
  EXPECT_EQ(judge_rates(rate_of(20, 100), rate_of(0, 25), 26), Confirmation::cannot_tell);
  EXPECT_EQ(judge_rates(rate_of(0, 100), rate_of(0, 100), 1), Confirmation::cannot_tell);
  Rate unjudged = rate_of(0, 26);
  unjudged.unknown = 1;
  EXPECT_EQ(judge_rates(rate_of(20, 100), unjudged, 26), Confirmation::cannot_tell);
}

// A cure that does nothing is called one in at most 5 of 100 trials, also where failures are rare.
TEST(JudgeRates, IsRightWhereTheTruthIsKnown) {
  for (const double share : {0.02, 0.2, 0.9}) {
    int wrong = 0;
    for (std::uint64_t trial = 0; trial < 1'000; ++trial) {
      Random random(trial, "trial");
      Rate before;
      while (before.failing < 20) {
        ++before.runs;
        before.failing += random.chance(share) ? 1 : 0;
      }
      const std::size_t needed = *clean_runs_needed(before);
      Rate after;
      while (after.runs < needed) {
        ++after.runs;
        after.failing += random.chance(share) ? 1 : 0;
      }
      wrong += judge_rates(before, after, needed) == Confirmation::not_fixed ? 0 : 1;
    }
    EXPECT_LE(wrong, 50) << share;
  }
}

TEST(VarySchedule, ShortensDelaysAndTimesALittle) {
  faults::Schedule schedule;
  schedule.scheduler = faults::DelaySchedule{{0, 1'000, 2'000}};
  faults::PartitionFault partition;
  partition.groups = {{0}};
  partition.when.from = std::chrono::seconds(10);
  partition.when.until = std::chrono::seconds(20);
  faults::CrashFault crash;
  crash.at = std::chrono::seconds(5);
  schedule.faults = {partition, crash};
  EXPECT_EQ(vary_schedule(schedule, 1, 0, 0.1), schedule);
  EXPECT_EQ(vary_schedule(schedule, 1, 7, 0.1), vary_schedule(schedule, 1, 7, 0.1));
  for (std::size_t number = 1; number < 50; ++number) {
    const faults::Schedule varied = vary_schedule(schedule, 1, number, 0.1);
    EXPECT_NE(varied, schedule);
    const auto& delays = std::get<faults::DelaySchedule>(varied.scheduler).delay_ms;
    EXPECT_EQ(delays[0], 0u);
    EXPECT_LE(delays[1], 1'000u);
    EXPECT_GE(delays[1], 900u);
    const auto& when = varied.faults[0].as<faults::PartitionFault>()->when;
    EXPECT_NEAR(static_cast<double>(when.from.count()), 9.5e6, 0.5e6);
    EXPECT_GT(*when.until, when.from);
    EXPECT_NEAR(static_cast<double>(varied.faults[1].as<faults::CrashFault>()->at->count()), 4.75e6,
                0.25e6);
  }
}

run::Scenario b3(const std::string& bugs) {
  const std::string path = DISSENSUS_SOURCE_DIR "/scenarios/xrpl/b3.toml";
  std::string text = run::load_scenario(path, simulated_systems()).text;
  const std::string_view profile = "profile = \"1.7.2\"\n";
  text.insert(text.find(profile) + profile.size(), bugs);
  return run::parse_scenario(text, path, simulated_systems());
}

/// Two sides that hear each other 4 s late.
faults::Schedule split(const run::Scenario& scenario, NodeId left) {
  const faults::GeneSpace genes = scenario.genes();
  faults::DelaySchedule delays;
  for (std::size_t index = 0; index < genes.size(); ++index) {
    const faults::GeneSpace::Gene gene = genes.gene(index);
    delays.delay_ms.push_back((gene.from < left) != (gene.to < left) ? 4'000 : 0);
  }
  return {delays, {}};
}

// The truth is known: B3 with its cure, and with a switch that has nothing to do with it.
TEST(MeasureRate, TellsACureFromAChangeThatIsNone) {
  const std::string signature = "termination/no-progress/built";
  run::Recipe recipe;
  recipe.scenario = b3("");
  recipe.schedule = split(recipe.scenario, 2);
  RateOptions options;
  options.runs_max = 100;
  const Rate before = measure_rate(recipe, signature, options);
  const auto needed = clean_runs_needed(before);
  ASSERT_TRUE(needed.has_value());
  options.jobs = 2;
  EXPECT_EQ(measure_rate(recipe, signature, options).failing, before.failing);
  options.runs_max = *needed;
  const auto judge_with = [&](const std::string& bugs, std::uint64_t seed) {
    run::Recipe changed = recipe;
    changed.scenario = b3(bugs);
    options.seed = seed;
    return judge_rates(before, measure_rate(changed, signature, options), *needed);
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(judge_with("bugs = [\"B3-fixed\"]\n", seed), Confirmation::fixed) << seed;
    EXPECT_EQ(judge_with("bugs = [\"B2-40\"]\n", seed), Confirmation::not_fixed) << seed;
  }
}

}  // namespace
}  // namespace dissensus::regression
