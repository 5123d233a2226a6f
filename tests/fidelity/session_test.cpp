#include "fidelity/session.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dissensus/outside.h"

#include "experiment/files.h"
#include "fidelity/tables.h"
#include "systems/simulated/simulated.h"

namespace dissensus::fidelity {
namespace {

using testing::HasSubstr;

class CountingObserver final : public FidelityObserver {
 public:
  void on_run(std::size_t side, const RunObservation& observation) override {
    ++runs[side];
    order.push_back({side, observation.place.schedule});
    if (side == 0 && runs[0] == stop_after) stopped_ = true;
  }
  void on_failed_run(const FailedRun& failed) override { failures.push_back(failed.reason); }
  bool is_stopped() const override { return stopped_; }

  Both<std::size_t> runs{};
  std::vector<std::pair<std::size_t, std::size_t>> order;
  std::vector<std::string> failures;
  std::size_t stop_after = 0;

 private:
  std::atomic<bool> stopped_ = false;
};

/// A system whose servers break at given runs, counted from 0.
class BreakingSystem final : public System {
 public:
  BreakingSystem(std::shared_ptr<const System> whole, std::vector<std::size_t> breaks)
      : whole_(std::move(whole)), breaks_(std::move(breaks)) {}
  const SystemDescription& description() const override { return whole_->description(); }
  std::size_t node_count() const override { return whole_->node_count(); }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    const std::size_t run = runs_++;
    if (std::find(breaks_.begin(), breaks_.end(), run) != breaks_.end()) {
      throw OutsideError("server 3 died");
    }
    return whole_->make_cluster(seed);
  }

 private:
  std::shared_ptr<const System> whole_;
  std::vector<std::size_t> breaks_;
  mutable std::atomic<std::size_t> runs_ = 0;
};

run::Scenario load(const std::string& name) {
  return run::load_scenario(experiment_test::scenario_path(name), simulated_systems());
}

FidelityPlan plan_of(const run::Scenario& first, const run::Scenario& second, std::size_t schedules,
                     std::size_t repeats, std::size_t second_repeats) {
  FidelityPlan plan;
  plan.scenario = first.name;
  plan.sides[0] = {"live", &first, repeats, 1};
  plan.sides[1] = {"simulated", &second, second_repeats, 2};
  plan.schedules = draw_schedules(first, schedules, 1);
  return plan;
}

TEST(FidelitySession, DrawsTheEmptyScheduleAndRandomOnes) {
  const run::Scenario scenario = load("xrpl/thesis.toml");
  const auto schedules = draw_schedules(scenario, 3, 1);
  ASSERT_EQ(schedules.size(), 3u);
  EXPECT_EQ(schedules[0].name, "none");
  EXPECT_FALSE(std::holds_alternative<faults::DelaySchedule>(schedules[0].schedule.scheduler));
  EXPECT_EQ(schedules[2].name, "random-2");
  const auto& delays = std::get<faults::DelaySchedule>(schedules[1].schedule.scheduler);
  EXPECT_NE(delays.delay_ms,
            std::get<faults::DelaySchedule>(schedules[2].schedule.scheduler).delay_ms);
  EXPECT_EQ(delays.delay_ms,
            std::get<faults::DelaySchedule>(draw_schedules(scenario, 2, 1)[1].schedule.scheduler)
                .delay_ms);
}

TEST(FidelitySession, RefusesAScenarioWithoutSchedules) {
  run::Scenario scenario = load("xrpl/thesis.toml");
  scenario.space.type = run::ScheduleSpace::Type::none;
  EXPECT_EQ(draw_schedules(scenario, 1, 1).size(), 1u);
  try {
    draw_schedules(scenario, 2, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("thesis.toml:1: schedule: no space to draw"));
  }
}

TEST(FidelitySession, RefusesScenariosThatCannotBeCompared) {
  const run::Scenario first = load("xrpl/thesis.toml");
  EXPECT_NO_THROW(require_comparable(first, load("xrpl/correct-2.4.0.toml")));
  try {
    require_comparable(first, load("majority/overtaken-commit.toml"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("xrpl-thesis: not comparable with"));
  }
}

// A scenario against itself, with other seeds: no test may find a difference beyond chance.
TEST(FidelitySession, AScenarioIsLikeItself) {
  const run::Scenario scenario = load("xrpl/thesis.toml");
  CountingObserver observer;
  const FidelityRuns runs = run_fidelity(plan_of(scenario, scenario, 3, 3, 6), observer);
  EXPECT_TRUE(runs.complete);
  EXPECT_EQ(observer.runs, (Both<std::size_t>{9, 18}));
  FidelityOptions options;
  options.permutation.permutations = 999;
  options.resamples = 200;
  const FidelityComparison comparison = compare(runs.input, options);
  EXPECT_GT(comparison.tests, 15u);
  for (const SampleComparison& row : comparison.samples) {
    EXPECT_FALSE(comparison.is_difference(row.test)) << row.name;
    EXPECT_FALSE(comparison.is_difference(row.distance_test)) << row.name;
  }
  for (const MessageComparison& row : comparison.messages) {
    EXPECT_FALSE(comparison.is_difference(row.test)) << row.kind;
  }
  EXPECT_FALSE(comparison.is_difference(comparison.schedule_test));
}

// Two protocol versions that differ in their timing are told apart.
TEST(FidelitySession, OtherTimingIsFound) {
  const run::Scenario first = load("xrpl/thesis.toml");
  run::Scenario second = load("xrpl/thesis.toml");
  std::string text = second.text;
  text.replace(text.find("latency = \"1ms\""), 15, "latency = \"1s\"");
  second = run::parse_scenario(text, "slow", simulated_systems());
  CountingObserver observer;
  FidelityPlan plan = plan_of(first, second, 1, 8, 16);
  FidelityOptions options;
  options.resamples = 200;
  const FidelityComparison comparison = compare(run_fidelity(plan, observer).input, options);
  const auto differs = [&](const std::string& name) {
    for (const SampleComparison& row : comparison.samples) {
      if (row.name == name) return comparison.is_difference(row.test);
    }
    return false;
  };
  EXPECT_TRUE(differs("ledger interval"));
  EXPECT_TRUE(differs("phase establish"));
}

// The same plan gives the same observations with any number of threads.
TEST(FidelitySession, IsRepeatable) {
  const run::Scenario scenario = load("majority/overtaken-commit.toml");
  std::vector<std::string> lines;
  for (const std::size_t jobs : {std::size_t{1}, std::size_t{3}}) {
    CountingObserver observer;
    FidelityPlan plan = plan_of(scenario, scenario, 4, 2, 5);
    plan.sides[0].jobs = plan.sides[1].jobs = jobs;
    const FidelityRuns runs = run_fidelity(plan, observer);
    std::string all;
    for (const FidelitySide& side : runs.input.sides) {
      for (const RunObservation& run : side.runs) {
        all += to_json_line(run, runs.input.measures, side.name) + "\n";
      }
    }
    lines.push_back(std::move(all));
  }
  EXPECT_EQ(lines[0], lines[1]);
}

// Simulated runs come first; live ones go round the schedules, so that an interruption leaves an
// even picture, which can be compared.
TEST(FidelitySession, AnInterruptionKeepsWhatThereIs) {
  const run::Scenario scenario = load("majority/overtaken-commit.toml");
  CountingObserver observer;
  observer.stop_after = 4;
  const FidelityRuns runs = run_fidelity(plan_of(scenario, scenario, 3, 5, 2), observer);
  EXPECT_FALSE(runs.complete);
  EXPECT_EQ(observer.runs, (Both<std::size_t>{4, 6}));
  EXPECT_EQ(observer.order.front().first, 1u);
  EXPECT_EQ(observer.order[6], (std::pair<std::size_t, std::size_t>{0, 0}));
  EXPECT_EQ(observer.order[7], (std::pair<std::size_t, std::size_t>{0, 1}));
  EXPECT_EQ(compare(runs.input).runs[0], 4u);
}

TEST(FidelitySession, GoesOnAfterAFailure) {
  const run::Scenario scenario = load("majority/overtaken-commit.toml");
  run::Scenario breaking = scenario;
  breaking.system = std::make_shared<BreakingSystem>(scenario.system, std::vector<std::size_t>{2});
  CountingObserver observer;
  const FidelityRuns runs = run_fidelity(plan_of(breaking, scenario, 3, 2, 2), observer);
  EXPECT_FALSE(runs.complete);
  EXPECT_EQ(runs.input.sides[0].runs.size(), 5u);
  ASSERT_EQ(runs.failed.size(), 1u);
  EXPECT_EQ(runs.failed[0].place.schedule, 2u);
  EXPECT_EQ(runs.failed[0].reason, "server 3 died");
  EXPECT_EQ(observer.failures.size(), 1u);
  const auto json = nlohmann::json::parse(to_json_line(runs.failed[0], "live"));
  EXPECT_EQ(json["error"], "server 3 died");
}

TEST(FidelitySession, GivesUpAfterFailuresInARow) {
  const run::Scenario scenario = load("majority/overtaken-commit.toml");
  run::Scenario breaking = scenario;
  breaking.system = std::make_shared<BreakingSystem>(
      scenario.system, std::vector<std::size_t>{1, 3, 4, 5, 6, 7, 8, 9});
  CountingObserver observer;
  const FidelityRuns runs = run_fidelity(plan_of(breaking, scenario, 3, 5, 2), observer);
  EXPECT_EQ(runs.failed.size(), 1 + kFailuresMax);
  EXPECT_EQ(runs.input.sides[0].runs.size(), 2u);
}

// Nothing works: whoever called must hear why.
TEST(FidelitySession, TheFirstFailureIsThrown) {
  const run::Scenario scenario = load("majority/overtaken-commit.toml");
  run::Scenario breaking = scenario;
  breaking.system = std::make_shared<BreakingSystem>(scenario.system, std::vector<std::size_t>{0});
  CountingObserver observer;
  EXPECT_THROW(run_fidelity(plan_of(breaking, scenario, 1, 1, 1), observer), OutsideError);
}

TEST(FidelitySession, HeaderNamesTheRuns) {
  const run::Scenario scenario = load("xrpl/thesis.toml");
  const FidelityPlan plan = plan_of(scenario, scenario, 2, 1, 20);
  const auto json = nlohmann::json::parse(header_json_line(plan, FidelityMeasures(scenario)));
  EXPECT_EQ(json["format"], "dissensus-fidelity/1");
  EXPECT_EQ(json["schedules"][1], "random-1");
  EXPECT_EQ(json["repeats"][1], 20);
  EXPECT_EQ(json["level"], "ledger");
}

}  // namespace
}  // namespace dissensus::fidelity
