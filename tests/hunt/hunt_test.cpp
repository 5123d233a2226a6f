#include "hunt/hunt.h"

#include <gtest/gtest.h>

#include "dissensus/scheduler.h"

#include "hunt/hunting.h"
#include "run/runner.h"
#include "systems/simulated/simulated.h"

namespace dissensus::hunt {
namespace {

// The canary: a build that stops finding the tutorial bug is broken.
TEST(Hunt, FindsTheTutorialBugForEverySeed) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    HuntParts parts = sampling_parts(scenario, seed);
    const HuntResult result = hunt(scenario, parts, run_budget(seed, 10'000));
    ASSERT_TRUE(result.found()) << seed;
    EXPECT_EQ(result.end, HuntEnd::found);
    const Finding& finding = result.progress.findings.at(0);
    EXPECT_EQ(finding.verdict.violations.at(0).property, "agreement");
    EXPECT_EQ(finding.item + 1, result.progress.runs);
    EXPECT_EQ(finding.seed, run_seed(seed, finding.item));
    EXPECT_EQ(run::Runner().run(scenario, finding.schedule, finding.seed).hash, finding.hash);
  }
}

TEST(Hunt, TheFixedSystemIsNotAccused) {
  const run::Scenario scenario = fixed_scenario();
  HuntParts parts = sampling_parts(scenario, 1);
  const HuntResult result = hunt(scenario, parts, run_budget(1, 5'000, 2));
  EXPECT_FALSE(result.found());
  EXPECT_EQ(result.end, HuntEnd::budget);
  EXPECT_EQ(result.progress.runs, 5'000u);
  EXPECT_EQ(result.progress.failed + result.progress.unknown, 0u);
}

// One run in sixteen is made twice, and simulated systems repeat themselves.
TEST(Hunt, ASampleIsRunTwiceAndIsEqual) {
  const run::Scenario scenario = fixed_scenario();
  HuntParts parts = sampling_parts(scenario, 1);
  const HuntResult result = hunt(scenario, parts, run_budget(1, 1'600));
  EXPECT_EQ(result.progress.repeated, 1'600 / kRepeatEvery);
  EXPECT_EQ(result.progress.equal, result.progress.repeated);
}

// What a search is told when does not depend on threads.
TEST(Hunt, TheNumberOfJobsDoesNotMatter) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::vector<std::vector<std::string>> logs;
    std::vector<HuntResult> results;
    for (const std::size_t jobs : {1u, 2u, 4u}) {
      HuntParts parts = learning_parts(scenario, seed);
      HuntOptions options = run_budget(seed, 700, jobs);
      options.all = true;
      results.push_back(hunt(scenario, parts, options));
      logs.push_back(static_cast<Learner&>(*parts.search).log);
    }
    EXPECT_EQ(logs[0], logs[1]);
    EXPECT_EQ(logs[0], logs[2]);
    for (const HuntResult& result : results) {
      EXPECT_EQ(result.progress.events, results[0].progress.events);
      EXPECT_EQ(result.progress.best, results[0].progress.best);
      ASSERT_EQ(result.progress.findings.size(), results[0].progress.findings.size());
      for (std::size_t i = 0; i < result.progress.findings.size(); ++i) {
        EXPECT_EQ(result.progress.findings[i].hash, results[0].progress.findings[i].hash);
        EXPECT_EQ(result.progress.findings[i].count, results[0].progress.findings[i].count);
      }
    }
  }
}

// Up to kWindow candidates are asked for before the first result is told.
TEST(Hunt, AsksAWindowAhead) {
  const run::Scenario scenario = fixed_scenario();
  HuntParts parts = learning_parts(scenario, 1);
  hunt(scenario, parts, run_budget(1, 40));
  const std::vector<std::string>& log = static_cast<Learner&>(*parts.search).log;
  ASSERT_EQ(log.size(), 80u);
  for (std::size_t i = 0; i < kWindow; ++i) EXPECT_TRUE(log[i].starts_with("ask")) << i;
  EXPECT_TRUE(log[kWindow].starts_with("tell"));
  EXPECT_TRUE(log[kWindow + 1].starts_with("ask"));
}

// A generation: nothing more to ask for until all of it has been told.
TEST(Hunt, ASearchMayWaitForResults) {
  class Generations final : public Search {
   public:
    explicit Generations(const run::Scenario& scenario)
        : samples_(make_sample_search(scenario, 1)) {}
    std::optional<Candidate> ask() override {
      if (asked_ == told_ + 5 || (asked_ % 5 == 0 && asked_ != told_)) return std::nullopt;
      ++asked_;
      return samples_->ask();
    }
    void tell(const Candidate&, const Evaluation&) override { ++told_; }

   private:
    std::unique_ptr<Search> samples_;
    std::size_t asked_ = 0;
    std::size_t told_ = 0;
  };
  const run::Scenario scenario = fixed_scenario();
  for (const std::size_t jobs : {1u, 3u}) {
    HuntParts parts;
    parts.search = std::make_unique<Generations>(scenario);
    EXPECT_EQ(hunt(scenario, parts, run_budget(1, 103, jobs)).progress.runs, 103u);
  }
}

TEST(Hunt, StopsWhenAsked) {
  const run::Scenario scenario = fixed_scenario();
  for (const std::size_t jobs : {1u, 2u}) {
    HuntParts parts = sampling_parts(scenario, 1);
    StopAfter observer(7);
    const HuntResult result = hunt(scenario, parts, run_budget(1, 1'000'000, jobs), &observer);
    EXPECT_EQ(result.progress.runs, 7u);
    EXPECT_EQ(result.end, HuntEnd::stopped);
  }
}

TEST(Hunt, ABudgetOfVirtualTimeEndsWithTheRunThatReachesIt) {
  const run::Scenario scenario = fixed_scenario();
  HuntParts parts = sampling_parts(scenario, 1);
  HuntOptions options;
  options.budget = parse_budget("2s-virtual");
  const HuntResult result = hunt(scenario, parts, options);
  EXPECT_GE(result.progress.virtual_time, std::chrono::seconds(2));
  HuntParts again = sampling_parts(scenario, 1);
  options.budget.runs = result.progress.runs - 1;
  EXPECT_LT(hunt(scenario, again, options).progress.virtual_time, std::chrono::seconds(2));
}

TEST(Hunt, ABudgetOfWallTimeEnds) {
  const run::Scenario scenario = fixed_scenario();
  HuntParts parts = sampling_parts(scenario, 1);
  HuntOptions options;
  options.budget = parse_budget("50ms");
  const HuntResult result = hunt(scenario, parts, options);
  EXPECT_GT(result.progress.runs, 0u);
  EXPECT_EQ(result.end, HuntEnd::budget);
}

TEST(Budget, IsReadFromText) {
  EXPECT_EQ(parse_budget("180runs").runs, 180u);
  EXPECT_EQ(parse_budget("1h-virtual").virtual_time, std::chrono::hours(1));
  EXPECT_EQ(parse_budget("30s").wall, std::chrono::seconds(30));
  for (const char* bad : {"", "soon", "0runs", "-3runs", "runs", "0s", "1h-virtua", "5 s"}) {
    EXPECT_THROW(parse_budget(bad), InputError) << bad;
  }
}

// Violations of one signature are one finding with a count.
TEST(Hunt, CollectsAllFindingsBySignature) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntParts parts = sampling_parts(scenario, 1);
  HuntOptions options = run_budget(1, 3'000, 2);
  options.all = true;
  const HuntResult result = hunt(scenario, parts, options);
  EXPECT_EQ(result.progress.runs, 3'000u);
  std::uint64_t count = 0;
  std::vector<std::string> signatures;
  for (const Finding& finding : result.progress.findings) {
    count += finding.count;
    signatures.push_back(finding.signature);
  }
  EXPECT_EQ(count, result.progress.failed);
  EXPECT_GT(count, signatures.size());
  std::sort(signatures.begin(), signatures.end());
  EXPECT_EQ(std::unique(signatures.begin(), signatures.end()), signatures.end());
}

/// Two kinds of violation: with a few late messages a decision takes too long.
run::Scenario impatient_scenario() {
  std::string text = run::load_scenario(kOvertaken, simulated_systems()).text;
  text.replace(text.find("bound = \"10s\""), 13, "bound = \"45ms\"");
  return run::parse_scenario(text, "impatient", simulated_systems());
}

// A hunt for one finding goes past others, counts them, and says where the first was.
TEST(Hunt, OnlyTheFindingThatIsHuntedEndsIt) {
  const run::Scenario scenario = impatient_scenario();
  HuntParts all_parts = sampling_parts(scenario, 1);
  HuntOptions options = run_budget(1, 3'000);
  options.all = true;
  const HuntProgress all = hunt(scenario, all_parts, options).progress;
  ASSERT_GE(all.findings.size(), 2u);
  const Finding& last = all.findings.back();
  options.all = false;
  // By the signature, and by a beginning that is no other's.
  for (const std::string& hunted :
       {last.signature, last.signature.substr(0, last.signature.size() - 1)}) {
    options.finding = {hunted};
    HuntParts parts = sampling_parts(scenario, 1);
    const HuntResult result = hunt(scenario, parts, options);
    EXPECT_EQ(result.end, HuntEnd::found);
    ASSERT_EQ(result.progress.findings.size(), 1u);
    EXPECT_EQ(result.progress.findings[0].signature, last.signature);
    EXPECT_EQ(result.progress.runs, last.item + 1);
    EXPECT_EQ(result.progress.passed_over.size(), all.findings.size() - 1);
    std::uint64_t passed = 0;
    for (const auto& [signature, others] : result.progress.passed_over) passed += others.count;
    EXPECT_EQ(passed + 1, result.progress.failed);
    EXPECT_EQ(result.progress.passed_over.at(all.findings[0].signature).item, all.findings[0].item);
  }
}

// Objectives of repeated runs are averaged; the finding is the repetition that failed.
TEST(Hunt, RepeatsARun) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntParts parts = learning_parts(scenario, 5);
  HuntOptions options = run_budget(5, 2'000);
  options.repeats = 3;
  const HuntResult result = hunt(scenario, parts, options);
  ASSERT_TRUE(result.found());
  const Finding& finding = result.progress.findings.at(0);
  const run::RunResult again = run::Runner().run(scenario, finding.schedule, finding.seed);
  EXPECT_EQ(again.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(again.hash, finding.hash);
}

/// Delays by a random amount; its decisions are known only when the run is over.
class Dice final : public Scheduler {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  bool picks() const override { return false; }
  Duration delay(const PendingMessage&) override {
    return std::chrono::milliseconds(random_.below(40));
  }

 private:
  Random random_;
};

// What an online scheduler did is recorded, and the record alone fails in the same way.
TEST(Hunt, AFindingOfAnOnlineSchedulerReplaysAlone) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const SchedulerEntry entry{"dice", "",
                             [](std::uint64_t seed, const Options&) -> std::unique_ptr<Scheduler> {
                               return std::make_unique<Dice>(seed);
                             }};
  for (const std::size_t jobs : {1u, 3u}) {
    HuntParts parts;
    parts.search = make_scheduler_search(entry, Options::from_toml("", "test"), 3);
    const HuntResult result = hunt(scenario, parts, run_budget(3, 10'000, jobs));
    ASSERT_TRUE(result.found());
    const Finding& finding = result.progress.findings.at(0);
    EXPECT_TRUE(finding.reproduced);
    EXPECT_TRUE(std::holds_alternative<faults::MessageSchedule>(finding.schedule.scheduler));
    EXPECT_EQ(run::Runner().run(scenario, finding.schedule, finding.seed).hash, finding.hash);
    EXPECT_EQ(result.progress.equal, result.progress.repeated);
  }
}

// States that were reached before are worth less than new ones, to a fitness that asks for news.
TEST(Hunt, NewStatesCountForAFitnessThatAsksForThem) {
  class States : public Fitness {
   public:
    double score(const RunSummary& run, const faults::Schedule&) const override {
      return -static_cast<double>(run.states.size());
    }
  };
  class News final : public States {
   public:
    double with_new_states(double score, std::size_t new_states) const override {
      return score - static_cast<double>(new_states);
    }
  };
  const run::Scenario scenario = fixed_scenario();
  std::vector<double> best;
  const std::vector<std::shared_ptr<const Fitness>> functions{std::make_shared<States>(),
                                                              std::make_shared<News>()};
  for (const auto& fitness : functions) {
    HuntParts parts = sampling_parts(scenario, 1);
    parts.objectives.push_back(fitness);
    parts.objective_names.push_back("any name");
    // One run: all of its states are new.
    best.push_back(hunt(scenario, parts, run_budget(1, 1)).progress.best.at(0));
  }
  EXPECT_LT(best[0], 0);
  EXPECT_EQ(best[1], 2 * best[0]);
}

// The panel's yields add up to the runs.
TEST(Hunt, CountsTheYieldOfEachOrigin) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  HuntParts parts = learning_parts(scenario, 2);
  HuntOptions options = run_budget(2, 500);
  options.all = true;
  const HuntProgress progress = hunt(scenario, parts, options).progress;
  ASSERT_EQ(progress.origins.size(), 2u);
  std::uint64_t runs = 0;
  std::uint64_t failures = 0;
  std::uint64_t states = 0;
  for (const auto& [name, yield] : progress.origins) {
    runs += yield.runs;
    failures += yield.failures;
    states += yield.new_states;
  }
  EXPECT_EQ(runs, 500u);
  EXPECT_EQ(failures, progress.failed);
  EXPECT_EQ(states, progress.states);
  EXPECT_GT(states, 0u);
}

}  // namespace
}  // namespace dissensus::hunt
