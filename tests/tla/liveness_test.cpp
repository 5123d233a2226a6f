// Temporal properties under fairness: what holds, what does not, and the behaviour that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/exploration/check.h"
#include "tla/given.h"

namespace dissensus::tla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The property as a word: "holds", or the states and where they go back to.
std::string liveness_of(const CheckResult& result) {
  if (result.outcome == CheckOutcome::ok && result.unjudged_properties.empty()) return "holds";
  if (result.outcome != CheckOutcome::violation) return result.message;
  if (!result.trace.loop) return "safety: " + result.message;
  return *result.trace.loop + 1 == result.trace.size() ? "stutters" : "repeats";
}

std::string liveness_of(const std::string& units, const std::string& cfg) {
  return liveness_of(check(given::spec(units, cfg + " CHECK_DEADLOCK FALSE")));
}

const char* const kUpAndFlip =
    "VARIABLES x, y\nvars == <<x, y>>\nInit == x = 0 /\\ y = 0\n"
    "Up == x < 3 /\\ x' = x + 1 /\\ y' = y\nFlip == y' = 1 - y /\\ x' = x\n"
    "Next == Up \\/ Flip\nSpec == Init /\\ [][Next]_vars\nFair == Spec /\\ WF_vars(Up)\n"
    "FairNext == Spec /\\ WF_vars(Next)\nReaches == <>(x = 3)\nStays == <>[](x = 3)\n"
    "Flips == []<>(y = 1)\nFlipSteps == []<><<Flip>>_vars\n"
    "Each == \\A i \\in 0..2 : x = i ~> x = i + 1\n"
    "Some == \\E i \\in 1..9 : []<>(x = i)\n"
    "Conditional == WF_vars(Flip) => Flips\nNested == [](x = 1 => <>(x = 2 /\\ <>(x = 3)))\n";

TEST(Liveness, NothingHappensWithoutFairness) {
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Spec PROPERTY Reaches"), "stutters");
  EXPECT_EQ(liveness_of(kUpAndFlip, "INIT Init NEXT Next PROPERTY Reaches"), "stutters");
}

TEST(Liveness, WeakFairnessOfAnActionTakesIt) {
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Reaches"), "holds");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Stays"), "holds");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Each"), "holds");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Some"), "holds");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Nested"), "holds");
}

TEST(Liveness, FairnessOfNextIsNotFairnessOfItsParts) {
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION FairNext PROPERTY Reaches"), "repeats");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY Flips"), "stutters");
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Fair PROPERTY FlipSteps"), "stutters");
}

TEST(Liveness, APropertyMayHaveFairnessOfItsOwn) {
  EXPECT_EQ(liveness_of(kUpAndFlip, "SPECIFICATION Spec PROPERTY Conditional"), "holds");
}

TEST(Liveness, TheCounterexampleIsALassoOfSteps) {
  const CheckResult result =
      check(given::spec(kUpAndFlip, "SPECIFICATION FairNext PROPERTY Reaches"));
  ASSERT_EQ(result.outcome, CheckOutcome::violation);
  EXPECT_EQ(result.property, "Reaches");
  EXPECT_THAT(result.judged_properties, ElementsAre("Reaches"));
  ASSERT_TRUE(result.trace.loop);
  EXPECT_EQ(*result.trace.loop, 0u);
  ASSERT_EQ(result.trace.size(), 2u);
  EXPECT_EQ(title_of(result.trace[1]), "Flip");
  EXPECT_EQ(result.trace.loop_action, "Flip");
  EXPECT_THAT(to_text(result.trace), HasSubstr("Back to state 1: Flip\n"));
  EXPECT_THAT(to_itf(result.trace, "Test.tla"), HasSubstr("\"loop\": 0"));
}

TEST(Liveness, StutteringIsSaid) {
  const CheckResult result = check(given::spec(kUpAndFlip, "SPECIFICATION Spec PROPERTY Reaches"));
  EXPECT_EQ(result.message,
            "temporal property Reaches is violated: nothing changes after the last state");
  EXPECT_THAT(to_text(result.trace), HasSubstr("Stuttering: nothing changes after state 1\n"));
}

TEST(Liveness, SafetyComesFirst) {
  EXPECT_EQ(liveness_of(std::string(kUpAndFlip) + "Low == x < 2\n",
                        "SPECIFICATION Spec INVARIANT Low PROPERTY Reaches"),
            "safety: invariant Low is violated");
}

// The classic: strong fairness lets a process in that is blocked again and again, weak does not.
const char* const kSharedRoom =
    "Processes == {1, 2}\nVARIABLES at\nvars == <<at>>\n"
    "Init == at = [p \\in Processes |-> \"away\"]\n"
    "Ask(p) == at[p] = \"away\" /\\ at' = [at EXCEPT ![p] = \"waits\"]\n"
    "Enter(p) == /\\ at[p] = \"waits\" /\\ \\A q \\in Processes : at[q] # \"in\"\n"
    "            /\\ at' = [at EXCEPT ![p] = \"in\"]\n"
    "Leave(p) == at[p] = \"in\" /\\ at' = [at EXCEPT ![p] = \"away\"]\n"
    "Next == \\E p \\in Processes : Ask(p) \\/ Enter(p) \\/ Leave(p)\n"
    "Leaves == \\A p \\in Processes : WF_vars(Leave(p))\n"
    "Weak == Init /\\ [][Next]_vars /\\ Leaves /\\ \\A p \\in Processes : WF_vars(Enter(p))\n"
    "Strong == Init /\\ [][Next]_vars /\\ Leaves /\\ \\A p \\in Processes : SF_vars(Enter(p))\n"
    "Exclusive == ~(\\A p \\in Processes : at[p] = \"in\")\n"
    "Entering == \\A p \\in Processes : at[p] = \"waits\" ~> at[p] = \"in\"\n"
    "SomeoneEnters == (\\E p \\in Processes : at[p] = \"waits\") ~> "
    "(\\E p \\in Processes : at[p] = \"in\")\n"
    "Possible == [](\\A p \\in Processes : at[p] = \"in\" => ENABLED Leave(p))\n"
    "Idle == <>[](\\A p \\in Processes : at[p] = \"away\")\n";

TEST(Liveness, StrongFairnessIsMoreThanWeak) {
  const std::string invariant = " INVARIANT Exclusive ";
  EXPECT_EQ(liveness_of(kSharedRoom, "SPECIFICATION Weak" + invariant + "PROPERTY Entering"),
            "repeats");
  EXPECT_EQ(liveness_of(kSharedRoom, "SPECIFICATION Strong" + invariant + "PROPERTY Entering"),
            "holds");
  EXPECT_EQ(liveness_of(kSharedRoom, "SPECIFICATION Weak PROPERTY SomeoneEnters Possible"),
            "holds");
  EXPECT_EQ(liveness_of(kSharedRoom, "SPECIFICATION Strong PROPERTY Idle"), "repeats");
}

TEST(Liveness, OneAnswerForAnyNumberOfWorkers) {
  const auto spec = given::spec(kSharedRoom, "SPECIFICATION Weak PROPERTY Entering");
  CheckOptions options;
  const CheckResult one = check(spec, options);
  options.workers = 3;
  options.collect_bytes = 1;  // values are thrown away again and again
  const CheckResult three = check(spec, options);
  EXPECT_EQ(one.message, three.message);
  EXPECT_EQ(to_text(one.trace), to_text(three.trace));
}

TEST(Liveness, PetersonsProcessesEnter) {
  const std::string cfg = "CONSTANT Polite = TRUE SPECIFICATION Fair PROPERTY ";
  EXPECT_EQ(liveness_of(check(given::example("Peterson", {}, cfg + "Enters"))), "holds");
  EXPECT_EQ(liveness_of(check(given::example("Peterson", {}, cfg + "AsksAgain"))), "stutters");
}

TEST(Liveness, TheAlternatingBitNeedsStrongFairness) {
  EXPECT_EQ(liveness_of(check(given::example("AlternatingBit"))), "holds");
  const std::string weak =
      "CONSTANTS Messages = {\"a\", \"b\"} Capacity = 1 SPECIFICATION WeakSpec PROPERTY Arrives";
  EXPECT_EQ(liveness_of(check(given::example("AlternatingBit", {}, weak))), "repeats");
}

// Operators with temporal arguments, LET, IF and boolean combinations are unfolded.
TEST(Liveness, FormulasAreUnfolded) {
  const std::string units = std::string(kUpAndFlip) +
                            "Until(F, G) == F => G\nFairOf(A) == WF_vars(A)\n"
                            "Infinitely(P(_), i) == []<>P(i)\nIs(i) == x = i\n"
                            "Passed == Until(FairOf(Up), Infinitely(Is, 3))\n"
                            "Local == LET goal == 3 fair == FairOf(Up) IN fair => <>(x = goal)\n"
                            "Choice == \\A b \\in BOOLEAN : IF b THEN WF_vars(Up) => Reaches "
                            "ELSE WF_vars(Up) => Stays\n"
                            "Same == WF_vars(Up) => (Reaches <=> Stays)\n"
                            "Never == ~Reaches\nSometimes == <>(x = 1) \\/ [](x = 0)\n";
  for (const char* name : {"Passed", "Local", "Choice", "Same", "Sometimes"}) {
    EXPECT_EQ(liveness_of(units, std::string("SPECIFICATION Spec PROPERTY ") + name), "holds")
        << name;
  }
  EXPECT_EQ(liveness_of(units, "SPECIFICATION Fair PROPERTY Never"), "stutters");
}

// States that the constraint cuts off are not part of any behaviour, as in TLC.
TEST(Liveness, BehavioursStayInsideTheConstraint) {
  const std::string units = std::string(kUpAndFlip) + "Low == x < 2\n";
  EXPECT_EQ(liveness_of(units, "SPECIFICATION Fair CONSTRAINT Low PROPERTY Reaches"), "holds");
  EXPECT_EQ(liveness_of(units, "SPECIFICATION Spec CONSTRAINT Low PROPERTY Reaches"), "stutters");
}

// Classes of symmetric states have cycles that states do not have.
TEST(Liveness, SymmetryIsLeftOut) {
  const std::string units =
      "CONSTANT P\nVARIABLE who\nInit == who \\in P\nNext == who' \\in P \\ {who}\n"
      "Spec == Init /\\ [][Next]_who /\\ WF_who(Next)\nSym == Permutations(P)\n"
      "Moves == \\A p \\in P : who = p ~> who # p\n";
  const CheckResult result = check(
      given::spec(units, "CONSTANT P = {a, b} SPECIFICATION Spec SYMMETRY Sym PROPERTY Moves"));
  EXPECT_EQ(liveness_of(result), "holds");
  EXPECT_TRUE(result.left_out_symmetry);
  EXPECT_EQ(result.distinct, 2u);
}

// ENABLED inside an instance: its variables may have any next value, whatever stands for them.
TEST(Liveness, ARefinedSpecificationBringsItsFairness) {
  SpecOptions options;
  options.modules.emplace_back("Switch",
                               "---- MODULE Switch ----\nVARIABLE on\nInit == on = FALSE\n"
                               "vars == <<on>>\nToggle == on' = ~on\n"
                               "Next == Toggle \\/ UNCHANGED vars\n"
                               "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\n====\n");
  options.modules.emplace_back(
      "Test",
      "---- MODULE Test ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 0\n"
      "Next == n' = (n + 1) % 4\nS == INSTANCE Switch WITH on <- \\E i \\in {2, 3} : n = "
      "i\nRefines == S!Spec\n"
      "Fair == Init /\\ [][Next]_n /\\ WF_n(Next)\nUnfair == Init /\\ [][Next]_n\n====\n");
  const auto judged = [&](const std::string& cfg) {
    return liveness_of(check(Spec::load("Test.tla", given::config(cfg), options)));
  };
  EXPECT_EQ(judged("SPECIFICATION Fair PROPERTY Refines"), "holds");
  EXPECT_EQ(judged("SPECIFICATION Unfair PROPERTY Refines"), "stutters");
}

// A variable of an instance may stand for several of the specification.
TEST(Liveness, UnchangedGoesThroughSubstitutions) {
  SpecOptions options;
  options.modules.emplace_back("Pause",
                               "---- MODULE Pause ----\nVARIABLES on, rest\n"
                               "Wait == on' = ~on /\\ UNCHANGED rest\n====\n");
  options.modules.emplace_back("Test",
                               "---- MODULE Test ----\nVARIABLES on, x, y\nrest == <<x, y>>\n"
                               "INSTANCE Pause\nInit == on = TRUE /\\ x = 0 /\\ y = 0\n"
                               "Spec == Init /\\ [][Wait]_<<on, rest>> /\\ WF_<<on, rest>>(Wait)\n"
                               "Blinks == []<>on /\\ []<>~on\n====\n");
  EXPECT_EQ(liveness_of(check(Spec::load(
                "Test.tla", given::config("SPECIFICATION Spec PROPERTY Blinks"), options))),
            "holds");
}

TEST(Liveness, LimitsMakeItIncomplete) {
  CheckOptions options;
  options.limits.states = 3;
  const CheckResult few =
      check(given::spec(kUpAndFlip, "SPECIFICATION Fair PROPERTY Reaches"), options);
  EXPECT_EQ(few.outcome, CheckOutcome::incomplete);
  EXPECT_THAT(few.judged_properties, IsEmpty());
  EXPECT_THAT(few.unjudged_properties, ElementsAre("Reaches"));
}

TEST(Liveness, WhatCannotBeCheckedIsSaidBeforeTheSearch) {
  const CheckResult result =
      check(given::spec(std::string(kUpAndFlip) + "Wrong == \\A i \\in 0..x : <>(x = i)\n",
                        "SPECIFICATION Fair PROPERTY Wrong"));
  EXPECT_EQ(result.outcome, CheckOutcome::error);
  EXPECT_EQ(result.distinct, 0u);
  const auto unchecked = given::spec(std::string(kUpAndFlip) + "Odd == \\EE z : <>(x = 3)\n",
                                     "SPECIFICATION Fair PROPERTY Odd");
  EXPECT_THAT(unchecked->unchecked_properties(), ElementsAre("Odd"));
}

TEST(Liveness, AGoalNeedsNoJudgement) {
  CheckOptions options;
  options.goal = "x = 2";
  const CheckResult result =
      check(given::spec(kUpAndFlip, "SPECIFICATION Spec PROPERTY Reaches"), options);
  EXPECT_TRUE(result.reached_goal);
  EXPECT_THAT(result.unjudged_properties, ElementsAre("Reaches"));
}

}  // namespace
}  // namespace dissensus::tla
