// Random walks: what they find, and that seed and walk number alone decide it.
#include "tla/exploration/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/given.h"
#include "tla/logs/trace.h"

namespace dissensus::tla {
namespace {

using testing::HasSubstr;

std::uint64_t steps_of(const Spec& spec, const SimulateResult& result, std::string_view name) {
  return result.steps_by_action[*spec.find_action(name)];
}

TEST(Simulate, FindsASeededBug) {
  SimulateOptions options;
  options.walks = 2000;
  options.depth = 30;
  const SimulateResult result = simulate(given::example("TwoPhase", {{"Hasty", "TRUE"}}), options);
  ASSERT_EQ(result.outcome, CheckOutcome::violation) << result.message;
  EXPECT_EQ(result.property, "Agreement");
  EXPECT_GE(result.trace.size(), 8u) << "no counterexample is shorter";
  EXPECT_EQ(result.walks, result.failing_walk + 1);
}

TEST(Simulate, CorrectSpecificationsPassAndEveryActionIsTaken) {
  SimulateOptions options;
  options.walks = 300;
  options.depth = 30;
  const auto spec = given::example("TwoPhase");
  const SimulateResult result = simulate(spec, options);
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.walks, 300u);
  EXPECT_EQ(result.states, 300u * 30u);
  EXPECT_GT(result.distinct, 200u);
  EXPECT_LE(result.distinct, 288u);
  for (const char* action : {"Prepare", "GiveUp", "Obey", "Receive", "DecideCommit"}) {
    EXPECT_GT(steps_of(*spec, result, action), 0u) << action;
  }
}

TEST(Simulate, RandomConstantsFollowTheSeed) {
  const auto spec = given::spec(
      "VARIABLE x\nPick == RandomElement(1..1000000)\nInit == x = Pick\nNext == x' = x\n"
      "Zero == x = 0",
      "INIT Init NEXT Next INVARIANT Zero");
  const auto outcome = [&](std::uint64_t seed, std::size_t workers) {
    SimulateOptions options;
    options.seed = seed;
    options.workers = workers;
    const SimulateResult result = simulate(spec, options);
    EXPECT_EQ(result.outcome, CheckOutcome::violation);
    return to_text(result.trace);
  };
  EXPECT_EQ(outcome(1, 1), outcome(1, 3));
  EXPECT_NE(outcome(1, 1), outcome(2, 1));
}

TEST(Simulate, TheNumberOfWorkersChangesNothing) {
  const auto spec = given::example("TwoPhase", {{"Hasty", "TRUE"}});
  SimulateOptions options;
  options.walks = 400;
  options.depth = 25;
  options.swarm = true;
  options.weights = {{"DecideAbort", 0.1}};
  const SimulateResult one = simulate(spec, options);
  options.workers = 3;
  const SimulateResult many = simulate(spec, options);
  EXPECT_EQ(one.outcome, many.outcome);
  EXPECT_EQ(one.walks, many.walks);
  EXPECT_EQ(one.states, many.states);
  EXPECT_EQ(one.distinct, many.distinct);
  EXPECT_EQ(one.steps_by_action, many.steps_by_action);
  EXPECT_EQ(to_text(one.trace), to_text(many.trace));
}

TEST(Simulate, SeedsDifferAndRepeat) {
  const auto spec = given::example("TwoPhase");
  SimulateOptions options;
  options.walks = 50;
  const SimulateResult first = simulate(spec, options);
  const SimulateResult again = simulate(spec, options);
  options.seed = 2;
  const SimulateResult other = simulate(spec, options);
  EXPECT_EQ(first.steps_by_action, again.steps_by_action);
  EXPECT_NE(first.steps_by_action, other.steps_by_action);
}

TEST(Simulate, WeightsShiftTheMix) {
  const auto spec = given::counters("1000000");
  SimulateOptions options;
  options.walks = 20;
  options.depth = 100;
  options.weights = {{"IncreaseX", 8}, {"Swap", 0}};
  const SimulateResult result = simulate(spec, options);
  EXPECT_EQ(steps_of(*spec, result, "Swap"), 0u);
  EXPECT_GT(steps_of(*spec, result, "IncreaseX"), 3 * steps_of(*spec, result, "IncreaseY"));
}

TEST(Simulate, ASwarmSwitchesActionsOffInSomeWalks) {
  const auto spec = given::counters("1000000");
  SimulateOptions options;
  options.walks = 40;
  options.depth = 50;
  options.swarm = true;
  std::size_t without = 0;
  simulate(spec, options, [&](const Walk& walk) {
    for (std::size_t i = 0; i < walk.switched_off.size(); ++i) {
      if (!walk.switched_off[i]) continue;
      ++without;
      EXPECT_EQ(walk.number % 4 == 0, false) << "every fourth walk has all actions";
    }
  });
  EXPECT_GT(without, 10u);
}

TEST(Simulate, DeadlockEndsAWalkAsAViolationUnlessSwitchedOff) {
  const auto spec =
      given::spec("VARIABLE x\nInit == x = 0\nNext == x < 5 /\\ x' = x + 1", "INIT Init NEXT Next");
  SimulateOptions options;
  const SimulateResult result = simulate(spec, options);
  EXPECT_EQ(result.outcome, CheckOutcome::deadlock);
  EXPECT_EQ(result.trace.size(), 6u);
  options.deadlock = false;
  EXPECT_EQ(simulate(spec, options).outcome, CheckOutcome::ok);
}

TEST(Simulate, ConstraintsEndWalksQuietly) {
  const auto spec =
      given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nSmall == x < 5\nOK == x < 5",
                  "INIT Init NEXT Next CONSTRAINT Small INVARIANT OK");
  const SimulateResult result = simulate(spec, {});
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.longest, 5u);
  EXPECT_EQ(result.ends[static_cast<std::size_t>(WalkEnd::constraint)], 100u);
}

TEST(Simulate, AWeightOfAnUnknownActionIsRefusedWithASuggestion) {
  SimulateOptions options;
  options.weights = {{"Prepair", 2}};
  try {
    simulate(given::example("TwoPhase"), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'Prepare'?"));
  }
}

TEST(Simulate, ErrorsAndFalseAssumptionsAreOutcomes) {
  const SimulateResult error = simulate(
      given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == x < 3 \\/ x = \"a\"",
                  "INIT Init NEXT Next INVARIANT OK"),
      {});
  EXPECT_EQ(error.outcome, CheckOutcome::error);
  EXPECT_THAT(error.message, HasSubstr("Test.tla:6:"));
  const SimulateResult assumption = simulate(
      given::spec("ASSUME FALSE\nVARIABLE x\nInit == x = 0\nNext == x' = x", "INIT Init NEXT Next"),
      {});
  EXPECT_EQ(assumption.outcome, CheckOutcome::error);
  EXPECT_THAT(assumption.message, HasSubstr("assumption FALSE is false"));
}

TEST(Simulate, WithoutAnInitialStateTheAnswerSaysSo) {
  const SimulateResult result = simulate(
      given::spec("VARIABLE x\nInit == x \\in {}\nNext == x' = x", "INIT Init NEXT Next"), {});
  EXPECT_EQ(result.states, 0u);
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_THAT(result.remarks[0], HasSubstr("there is no initial state"));
}

// A walk that was written down is a log that the specification admits.
TEST(Simulate, AnAliasIsShownAndWhatIsNotEvaluatedIsSaid) {
  const SimulateResult result =
      simulate(given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == x < 2\n"
                           "Shown == [level |-> TLCGet(\"level\")]\nEnd == TRUE",
                           "INIT Init NEXT Next INVARIANT OK ALIAS Shown POSTCONDITION End"),
               {});
  ASSERT_EQ(result.trace.size(), 3u);
  EXPECT_EQ(to_string(result.trace[2].alias), "[level |-> 3]");
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.remarks[0], "POSTCONDITION End is not evaluated by random walks");
}

TEST(Simulate, WalksMatchTheirOwnSpecification) {
  const auto spec = given::example("TwoPhase");
  SimulateOptions options;
  options.walks = 20;
  options.depth = 25;
  options.keep_behaviours = true;
  std::size_t walks = 0;
  simulate(spec, options, [&](const Walk& walk) {
    const LogResult result = check_log_text(spec, to_log(walk.behaviour), "walk");
    EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
    EXPECT_EQ(result.events, walk.states);
    ++walks;
  });
  EXPECT_EQ(walks, 20u);
}

}  // namespace
}  // namespace dissensus::tla
