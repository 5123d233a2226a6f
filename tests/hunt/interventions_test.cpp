// What a failing run needs in order to fail, asked of the simulator.
#include "hunt/interventions.h"

#include <gmock/gmock.h>

#include "hunt/hunting.h"
#include "isolate/signs.h"
#include "run/schedule_space.h"
#include "systems/simulated/simulated.h"

namespace dissensus::hunt {
namespace {

using testing::Each;
using testing::Field;
using testing::StartsWith;

struct Failing {
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  std::string symptom;
};

/// The first failing run of random schedules.
Failing find_failing(const run::Scenario& scenario) {
  run::Runner runner;
  for (std::uint64_t seed = 1; seed < 500; ++seed) {
    Random random(seed, "interventions");
    Failing failing{run::random_schedule(scenario, random), seed, {}};
    const run::RunResult result = runner.run(scenario, failing.schedule, seed);
    if (result.verdict.outcome != oracle::Outcome::fail) continue;
    failing.symptom = result.verdict.violations.front().signature();
    return failing;
  }
  throw std::runtime_error("no run fails");
}

bool still_fails(const run::Scenario& scenario, const Failing& failing,
                 const faults::Schedule& schedule) {
  run::Runner runner;
  const run::RunResult result = runner.run(scenario, schedule, failing.seed);
  return result.verdict.outcome == oracle::Outcome::fail &&
         result.verdict.violations.front().signature() == failing.symptom;
}

TEST(Interventions, AnswersAreWhatTheChangedRunsDo) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const Failing failing = find_failing(scenario);
  const std::vector<Question> questions = questions_about(scenario, failing.schedule);
  ASSERT_FALSE(questions.empty());
  std::vector<std::string> truth;
  for (const Question& question : questions) {
    const std::string& words =
        still_fails(scenario, failing, question.schedule) ? question.if_it_fails : question.if_not;
    if (!words.empty()) truth.push_back(words);
  }
  Interventions interventions;
  const std::vector<isolate::Sign> answers =
      interventions.ask(scenario, failing.schedule, failing.seed, failing.symptom);
  std::vector<std::string> words;
  for (const isolate::Sign& answer : answers) words.push_back(answer.words);
  EXPECT_EQ(words, truth);
  EXPECT_EQ(interventions.runs(), questions.size());
  EXPECT_THAT(answers, Each(Field(&isolate::Sign::about, StartsWith(isolate::kIntervention))));
  // Nobody decides anything without the messages that decide.
  EXPECT_FALSE(answers.empty());
}

TEST(Interventions, AnotherFailureIsNotTheSame) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const Failing failing = find_failing(scenario);
  Interventions interventions;
  const std::vector<isolate::Sign> answers =
      interventions.ask(scenario, failing.schedule, failing.seed, "termination/stalled");
  const std::vector<Question> questions = questions_about(scenario, failing.schedule);
  std::size_t needs = 0;
  for (const Question& question : questions) needs += question.if_not.empty() ? 0 : 1;
  EXPECT_EQ(answers.size(), needs) << "no changed run fails with what the run did not fail with";
}

TEST(Interventions, StopWhenTheyAreAskedTo) {
  const run::Scenario scenario = run::load_scenario(kOvertaken, simulated_systems());
  const Failing failing = find_failing(scenario);
  Interventions interventions([] { return false; });
  EXPECT_TRUE(interventions.ask(scenario, failing.schedule, failing.seed, failing.symptom).empty());
  EXPECT_EQ(interventions.runs(), 0u);
}

}  // namespace
}  // namespace dissensus::hunt
