// The exhaustive search counts as TLC does, finds shortest counterexamples, and gives one answer
// whatever the number of workers.
#include "tla/exploration/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/given.h"

namespace dissensus::tla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> actions_of(const Behaviour& behaviour) {
  std::vector<std::string> names;
  for (const Behaviour::Step& step : behaviour.steps()) names.push_back(step.action);
  return names;
}

CheckOptions with_workers(std::size_t workers) {
  CheckOptions options;
  options.workers = workers;
  return options;
}

// Counts that TLC gives for the same files.

TEST(Check, CountsJugsAsTlcDoes) {
  const CheckResult result = check(given::example("Jugs", {},
                                                  "CONSTANTS Small = 3 Large = 5 Goal = 4\n"
                                                  "INIT Init NEXT Next INVARIANT TypeOK"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 16u);
  EXPECT_EQ(result.generated, 97u);
  EXPECT_EQ(result.depth, 8u);
  EXPECT_EQ(result.queued, 0u);
  EXPECT_EQ(result.initial, 1u);
}

TEST(Check, CountsTwoPhaseAndPetersonAsTlcDoes) {
  const CheckResult two_phase = check(given::example("TwoPhase"));
  EXPECT_EQ(two_phase.outcome, CheckOutcome::ok) << two_phase.message;
  EXPECT_EQ(two_phase.distinct, 288u);
  EXPECT_EQ(two_phase.generated, 790u);
  EXPECT_EQ(two_phase.depth, 11u);
  const CheckResult peterson = check(given::example("Peterson"));
  EXPECT_EQ(peterson.outcome, CheckOutcome::ok) << peterson.message;
  EXPECT_EQ(peterson.distinct, 20u);
  EXPECT_EQ(peterson.generated, 36u);
  EXPECT_EQ(peterson.depth, 6u);
}

TEST(Check, FindsTheShortestCounterexample) {
  const CheckResult result = check(given::example("Jugs"));
  ASSERT_EQ(result.outcome, CheckOutcome::violation);
  EXPECT_EQ(result.property, "Unsolved");
  EXPECT_EQ(result.message, "invariant Unsolved is violated");
  // Fill, pour, empty, pour, fill, pour: there is no shorter recipe for 4 litres.
  EXPECT_THAT(actions_of(result.trace), ElementsAre("", "FillLarge", "LargeToSmall", "EmptySmall",
                                                    "LargeToSmall", "FillLarge", "LargeToSmall"));
  EXPECT_EQ(result.trace[6].state[1], Value::integer(4));
}

TEST(Check, LabelsCarryArguments) {
  const CheckResult result = check(given::example("Peterson", {{"Polite", "FALSE"}}));
  ASSERT_EQ(result.outcome, CheckOutcome::violation);
  ASSERT_EQ(result.trace.size(), 7u);
  EXPECT_EQ(title_of(result.trace[1]), "Ask(p = 0)");
  EXPECT_THAT(result.trace[1].place, HasSubstr("Peterson.tla:21:1"));
}

TEST(Check, ActionPropertiesAreCheckedOnEveryStep) {
  // The step back leads to a known state: it is still a step.
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\nUp == [][x' > x]_x",
                        "INIT Init NEXT Next PROPERTY Up"));
  ASSERT_EQ(result.outcome, CheckOutcome::violation);
  EXPECT_EQ(result.property, "Up");
  ASSERT_EQ(result.trace.size(), 4u);
  EXPECT_EQ(result.trace[3].state[0], Value::integer(0));
}

TEST(Check, AViolatedInitialPartOfAPropertyIsReported) {
  const CheckResult result = check(
      given::spec("VARIABLE x\nInit == x = 1\nNext == UNCHANGED x\nOther == x = 0 /\\ [][x' = x]_x",
                  "INIT Init NEXT Next PROPERTY Other"));
  ASSERT_EQ(result.outcome, CheckOutcome::violation);
  EXPECT_EQ(result.property, "Other");
  EXPECT_EQ(result.trace.size(), 1u);
}

TEST(Check, DeadlockIsAStateWithoutAnySuccessor) {
  const std::string text = "VARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1";
  const CheckResult result = check(given::spec(text, "INIT Init NEXT Next"));
  ASSERT_EQ(result.outcome, CheckOutcome::deadlock);
  EXPECT_EQ(result.trace.size(), 3u);
  EXPECT_EQ(check(given::spec(text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")).outcome,
            CheckOutcome::ok);
  CheckOptions without;
  without.deadlock = false;
  EXPECT_EQ(check(given::spec(text, "INIT Init NEXT Next"), without).outcome, CheckOutcome::ok);
}

TEST(Check, ConstraintsKeepStatesFromBeingCountedButNotFromBeingJudged) {
  const std::string text =
      "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nSmall == x < 3\nBelow == x < 3\nOK == x < 4";
  // 0, 1, 2 are in the model; 3 is generated, judged, and left out. No deadlock either.
  const CheckResult result =
      check(given::spec(text, "INIT Init NEXT Next CONSTRAINT Small INVARIANT OK"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 3u);
  EXPECT_EQ(result.generated, 4u);
  EXPECT_EQ(result.depth, 3u);
  const CheckResult judged =
      check(given::spec(text, "INIT Init NEXT Next CONSTRAINT Small INVARIANT Below"));
  ASSERT_EQ(judged.outcome, CheckOutcome::violation);
  EXPECT_EQ(judged.trace.size(), 4u);
}

TEST(Check, AViewDecidesWhichStatesAreTheSame) {
  const CheckResult result =
      check(given::spec("VARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
                        "Next == x' = (x + 1) % 3 /\\ y' = y + 1\nOnlyX == x",
                        "INIT Init NEXT Next VIEW OnlyX"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 3u);
  EXPECT_EQ(result.generated, 4u);
}

TEST(Check, AFalseAssumptionEndsTheCheckBeforeItStarts) {
  const CheckResult result = check(given::spec("ASSUME 1 + 1 = 3", ""));
  EXPECT_EQ(result.outcome, CheckOutcome::assumption);
  EXPECT_THAT(result.message, HasSubstr("Test.tla:3:"));
  EXPECT_EQ(check(given::spec("ASSUME 1 + 1 = 2", "")).outcome, CheckOutcome::ok);
}

TEST(Check, AnErrorComesWithPlaceAndTrace) {
  const CheckResult result = check(
      given::spec("VARIABLE x\nInit == x = 0\nNext == x' = IF x = 2 THEN x + \"a\" ELSE x + 1",
                  "INIT Init NEXT Next"));
  ASSERT_EQ(result.outcome, CheckOutcome::error);
  EXPECT_THAT(result.message, HasSubstr("Test.tla:5:"));
  EXPECT_EQ(result.trace.size(), 3u);
}

TEST(Check, AnInvariantThatCannotBeEvaluatedIsAnError) {
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == <<1, 2>>[x + 1] > 0",
                        "INIT Init NEXT Next INVARIANT OK"));
  ASSERT_EQ(result.outcome, CheckOutcome::error);
  EXPECT_EQ(result.property, "OK");
  EXPECT_EQ(result.trace.size(), 3u);
}

TEST(Check, PostconditionIsEvaluatedAtTheEnd) {
  const std::string text =
      "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 5\n"
      "Five == TLCGet(\"distinct\") = 5\nSix == TLCGet(\"distinct\") = 6";
  EXPECT_EQ(check(given::spec(text, "INIT Init NEXT Next POSTCONDITION Five")).outcome,
            CheckOutcome::ok);
  const CheckResult six = check(given::spec(text, "INIT Init NEXT Next POSTCONDITION Six"));
  EXPECT_EQ(six.outcome, CheckOutcome::violation);
  EXPECT_EQ(six.property, "Six");
}

// A postcondition says what a run found: after a violation, too, and then it may ask for the trace.
TEST(Check, PostconditionIsEvaluatedAfterAViolation) {
  std::vector<std::string> printed;
  CheckOptions options;
  options.print = [&](std::string_view text) { printed.emplace_back(text); };
  const std::string text =
      "LOCAL INSTANCE TLCExt\nVARIABLE x\nInit == x = 0\nStep == x' = x + 1\nNext == Step\n"
      "OK == x < 2\nSay == PrintT(CounterExample.state) /\\ PrintT(TLCGet(\"distinct\"))\n"
      "Names == PrintT({step[2].name : step \\in CounterExample.action})\nWrong == FALSE";
  const CheckResult result =
      check(given::spec(text, "INIT Init NEXT Next INVARIANT OK POSTCONDITION Say"), options);
  EXPECT_EQ(result.outcome, CheckOutcome::violation);
  EXPECT_EQ(result.property, "OK");
  EXPECT_THAT(printed, ElementsAre("{<<1, [x |-> 0]>>, <<2, [x |-> 1]>>, <<3, [x |-> 2]>>}", "3"));
  printed.clear();
  check(given::spec(text, "INIT Init NEXT Next INVARIANT OK POSTCONDITION Names"), options);
  EXPECT_THAT(printed, ElementsAre("{\"Step\"}"));
  const CheckResult wrong =
      check(given::spec(text, "INIT Init NEXT Next INVARIANT OK POSTCONDITION Wrong"), options);
  EXPECT_EQ(wrong.property, "OK") << "the violation is what the answer is about";
  EXPECT_THAT(wrong.remarks, ElementsAre("postcondition Wrong is false"));
}

TEST(Check, WithoutAnInitialStateEveryPropertyHoldsAndTheAnswerSaysSo) {
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = 0 /\\ x = 1\nNext == x' = 1 - x\n"
                        "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nComes == <>(x = 1)",
                        "SPECIFICATION Spec PROPERTY Comes"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 0u);
  EXPECT_THAT(result.remarks, ElementsAre(HasSubstr("there is no initial state")));
}

TEST(Check, TheSpecCanAskForTheEnd) {
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
                        "Stop == x = 4 => TLCSet(\"exit\", TRUE)",
                        "INIT Init NEXT Next ACTION_CONSTRAINT Stop"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_TRUE(result.was_asked_to_end);
  EXPECT_GE(result.distinct, 5u);
  EXPECT_LE(result.distinct, 6u);
}

TEST(Check, LevelCountsFromOne) {
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = TLCGet(\"level\")\n"
                        "Next == x' = TLCGet(\"level\") + 1\nOK == x = TLCGet(\"level\")\n"
                        "Short == TLCGet(\"level\") <= 4",
                        "INIT Init NEXT Next INVARIANT OK CONSTRAINT Short"));
  EXPECT_EQ(result.outcome, CheckOutcome::ok) << result.message;
  EXPECT_EQ(result.distinct, 4u);
}

// Workers.

TEST(Check, TheNumberOfWorkersChangesNothing) {
  const auto spec = given::counters("9");
  const CheckResult one = check(spec);
  EXPECT_EQ(one.outcome, CheckOutcome::ok) << one.message;
  EXPECT_EQ(one.distinct, 10u * 10u * 16u);
  for (const std::size_t workers : {2u, 3u, 5u}) {
    const CheckResult many = check(spec, with_workers(workers));
    EXPECT_EQ(many.outcome, one.outcome);
    EXPECT_EQ(many.distinct, one.distinct);
    EXPECT_EQ(many.generated, one.generated);
    EXPECT_EQ(many.depth, one.depth);
    EXPECT_EQ(many.steps_by_action, one.steps_by_action);
  }
}

TEST(Check, EveryNumberOfWorkersFindsTheSameCounterexampleAtTheSameCount) {
  const auto spec = given::counters("9", "INVARIANT NoCorner");
  const CheckResult one = check(spec);
  ASSERT_EQ(one.outcome, CheckOutcome::violation);
  EXPECT_EQ(one.trace.size(), 21u);
  for (const std::size_t workers : {2u, 4u}) {
    const CheckResult many = check(spec, with_workers(workers));
    EXPECT_EQ(to_text(many.trace), to_text(one.trace));
    EXPECT_EQ(many.distinct, one.distinct);
    EXPECT_EQ(many.generated, one.generated);
  }
}

TEST(Check, ThrowingValuesAwayAndWaitingOnDiskChangeNothing) {
  const auto spec = given::counters("12", "INVARIANT NoCorner");
  const CheckResult plain = check(spec);
  for (const std::size_t workers : {1u, 2u}) {
    CheckOptions options = with_workers(workers);
    options.collect_bytes = 1;
    options.queue_bytes = 1;
    const CheckResult tight = check(spec, options);
    EXPECT_EQ(tight.outcome, plain.outcome);
    EXPECT_EQ(tight.distinct, plain.distinct);
    EXPECT_EQ(tight.generated, plain.generated);
    EXPECT_EQ(to_text(tight.trace), to_text(plain.trace));
  }
}

TEST(Check, RandomElementsDependOnTheSeedAlone) {
  const auto spec = given::spec(
      "VARIABLE x\nInit == x = 0\nNext == x' = RandomElement(1..1000)\nDeep == TLCGet(\"level\") < "
      "9",
      "INIT Init NEXT Next CONSTRAINT Deep");
  const CheckResult one = check(spec);
  const CheckResult again = check(spec, with_workers(3));
  EXPECT_EQ(one.distinct, again.distinct);
  EXPECT_EQ(one.generated, again.generated);
}

// A constant that is drawn is one value for the whole search, and another one for another seed.
TEST(Check, RandomConstantsFollowTheSeed) {
  const auto spec = given::spec(
      "VARIABLE x\nPick == RandomElement(1..1000000)\nInit == x = 0\nNext == x' = Pick\n"
      "Zero == x = 0",
      "INIT Init NEXT Next INVARIANT Zero");
  const auto outcome = [&](std::uint64_t seed, std::size_t workers) {
    CheckOptions options = with_workers(workers);
    options.seed = seed;
    const CheckResult result = check(spec, options);
    EXPECT_EQ(result.outcome, CheckOutcome::violation);
    return to_text(result.trace);
  };
  EXPECT_EQ(outcome(1, 1), outcome(1, 3));
  EXPECT_EQ(outcome(2, 1), outcome(2, 3));
  EXPECT_NE(outcome(1, 1), outcome(2, 1));
}

// Limits.

TEST(Check, ALimitOfStatesIsReportedAsIncomplete) {
  CheckOptions options;
  options.limits.states = 100;
  const CheckResult result = check(given::counters("9"), options);
  EXPECT_EQ(result.outcome, CheckOutcome::incomplete);
  EXPECT_EQ(result.distinct, 100u);
  EXPECT_GT(result.queued, 0u);
  EXPECT_EQ(result.message, "incomplete: 100 states were found");
  // Exactly as many as there are is enough.
  options.limits.states = 1600;
  EXPECT_EQ(check(given::counters("9"), options).outcome, CheckOutcome::ok);
}

TEST(Check, ALimitOfDepthIsReportedAsIncomplete) {
  CheckOptions options;
  options.limits.depth = 3;
  const CheckResult result = check(given::counters("9"), options);
  EXPECT_EQ(result.outcome, CheckOutcome::incomplete);
  EXPECT_EQ(result.depth, 3u);
  EXPECT_EQ(result.message, "incomplete: depth 3 was reached");
  options.limits.depth = 8;
  const CheckResult jugs = check(given::example("Jugs", {},
                                                "CONSTANTS Small = 3 Large = 5 Goal = 9\n"
                                                "INIT Init NEXT Next INVARIANT Unsolved"),
                                 options);
  EXPECT_EQ(jugs.outcome, CheckOutcome::incomplete) << "the states of level 8 were not expanded";
}

TEST(Check, LimitsOfTimeAndMemoryEndAnEndlessSearch) {
  const auto endless = given::spec("VARIABLE x\nInit == x = 0\nNext == x' = x + 1 \\/ x' = x + 2",
                                   "INIT Init NEXT Next");
  CheckOptions options;
  options.limits.seconds = 0.05;
  EXPECT_EQ(check(endless, options).outcome, CheckOutcome::incomplete);
  options.limits.seconds = 20;
  options.limits.bytes = 3'000'000;
  const CheckResult result = check(endless, options);
  EXPECT_EQ(result.outcome, CheckOutcome::incomplete);
  EXPECT_THAT(result.message, HasSubstr("MB are in use"));
}

TEST(Check, ALimitOfTimeEndsTheSearchForInitialStates) {
  CheckOptions options;
  options.limits.seconds = 0.2;
  // One model finds initial states all the time, one finds none, one is busy with a single value.
  for (const std::string init : {"x \\in [1..12 -> 1..9]", "x \\in [1..12 -> 1..9] /\\ x[1] = 10",
                                 "x = Cardinality({f \\in [1..12 -> 1..9] : f[1] = 10})"}) {
    const CheckResult result = check(
        given::spec("VARIABLE x\nInit == " + init + "\nNext == x' = x", "INIT Init NEXT Next"),
        options);
    EXPECT_EQ(result.outcome, CheckOutcome::incomplete) << init << ": " << result.message;
    EXPECT_THAT(result.message, HasSubstr("0.2 s have passed")) << init;
    EXPECT_LT(result.seconds, 10) << init;
  }
}

TEST(Check, ALimitOfTimeEndsTheExpansionOfOneState) {
  CheckOptions options;
  options.limits.seconds = 0.2;
  const CheckResult result =
      check(given::spec("VARIABLE x\nInit == x = 0\n"
                        "Next == \\E f \\in [1..12 -> 1..9] : f[1] = 10 /\\ x' = f",
                        "INIT Init NEXT Next"),
            options);
  EXPECT_EQ(result.outcome, CheckOutcome::incomplete) << result.message;
  EXPECT_LT(result.seconds, 10);
}

// Depth first, goals, maxima.

TEST(Check, DepthFirstVisitsTheSameStates) {
  CheckOptions options;
  options.depth_first = true;
  const CheckResult deep = check(given::counters("6"), options);
  const CheckResult broad = check(given::counters("6"));
  EXPECT_EQ(deep.outcome, CheckOutcome::ok);
  EXPECT_EQ(deep.distinct, broad.distinct);
  EXPECT_EQ(deep.generated, broad.generated);
  EXPECT_GT(deep.depth, broad.depth);
}

TEST(Check, AGoalEndsTheSearchWithATrace) {
  CheckOptions options;
  options.goal = "x = 3 /\\ y = 2";
  for (const bool depth_first : {false, true}) {
    options.depth_first = depth_first;
    const CheckResult result = check(given::counters("6"), options);
    EXPECT_EQ(result.outcome, CheckOutcome::ok);
    ASSERT_TRUE(result.reached_goal);
    EXPECT_EQ(result.trace[result.trace.size() - 1].state[0], Value::integer(3));
  }
}

TEST(Check, TheLargestValueOfAnExpressionIsFound) {
  CheckOptions options;
  options.maximise = "x * 10 + y";
  for (const std::size_t workers : {1u, 2u}) {
    options.workers = workers;
    const CheckResult result = check(given::counters("4"), options);
    ASSERT_TRUE(result.maximum);
    EXPECT_EQ(*result.maximum, 44);
    EXPECT_EQ(result.maximum_trace.size(), 9u);
  }
}

}  // namespace
}  // namespace dissensus::tla
