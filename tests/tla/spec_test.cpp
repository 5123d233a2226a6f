// Modules are found and joined, names resolved, constants bound; mistakes are named.
#include "tla/linking/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/linking/program.h"
#include "tla/machine_fixture.h"

namespace dissensus::tla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string load_error(const std::string& body, const std::string& config = "",
                       const std::vector<std::pair<std::string, std::string>>& others = {}) {
  try {
    spec_of(body, config, others);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

std::string evaluated(const std::shared_ptr<const Spec>& spec, const std::string& expression) {
  Machine machine(spec);
  return to_string(machine.evaluate(*machine.compile(expression)));
}

TEST(Extends, DiamondIsOneModuleAndLocalStaysInside) {
  const auto spec = spec_of("EXTENDS A, B\nSum == FromA + FromB", "",
                            {{"A", "EXTENDS Base\nLOCAL Secret == 1\nFromA == base + Secret"},
                             {"B", "EXTENDS Base\nFromB == base * 2"},
                             {"Base", "EXTENDS Naturals\nbase == 5"}});
  EXPECT_EQ(evaluated(spec, "Sum"), "16");
  EXPECT_THROW(evaluated(spec, "Secret"), SpecError);
}

TEST(Extends, CycleAndMissingModule) {
  EXPECT_THAT(load_error("EXTENDS A", "", {{"A", "EXTENDS M"}}), HasSubstr("itself"));
  EXPECT_THAT(load_error("EXTENDS Naturalz"), HasSubstr("no module Naturalz"));
  EXPECT_THAT(load_error("EXTENDS Naturalz"), HasSubstr("Naturals"));
}

const std::pair<std::string, std::string> kCounter = {
    "Counter",
    "EXTENDS Naturals\nCONSTANT Limit\nVARIABLE n\nInit == n = 0\nNext == n < Limit /\\ n' = n + "
    "1\n"
    "Double == 2 * n\nAtLimit == n = Limit"};

TEST(Instance, SubstitutesConstantsAndVariables) {
  const auto spec = spec_of(
      "EXTENDS Naturals\nVARIABLE x\nC == INSTANCE Counter WITH n <- x + 1, Limit <- 3\n"
      "Init == x = 1\nNext == x' = x + 1 /\\ x < 5\nTwice == C!Double",
      "", {kCounter});
  Machine machine(spec);
  const State state = {Value::integer(2)};
  EXPECT_EQ(to_string(machine.evaluate(*machine.compile("<<C!Double, C!AtLimit, Twice>>"), &state)),
            "<<6, TRUE, 6>>");
  // n' under the substitution is (x + 1)'.
  const State next = {Value::integer(3)};
  const State low = {Value::integer(1)};
  EXPECT_FALSE(machine.evaluate(*machine.compile("C!Next"), &state, {}, &next).truth());
  EXPECT_TRUE(machine.evaluate(*machine.compile("C!Next"), &low, {}, &state).truth());
}

TEST(Instance, ImplicitSubstitutionAndParameters) {
  const auto spec = spec_of(
      "EXTENDS Naturals\nCONSTANT Limit\nVARIABLE n\nPlain == INSTANCE Counter\n"
      "At(k) == INSTANCE Counter WITH n <- k\nInit == Plain!Init\nNext == Plain!Next",
      "CONSTANT Limit = 2\nINIT Init\nNEXT Next", {kCounter});
  EXPECT_EQ(evaluated(spec, "<<At(4)!Double, At(2)!AtLimit>>"), "<<8, TRUE>>");
  Machine machine(spec);
  const std::vector<State> states = initial_states(machine);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_THAT(successors_of(machine, states[0]), ElementsAre("Plain!Next: n = 1"));
}

TEST(Instance, UnnamedAndOperatorsAsConstants) {
  const std::pair<std::string, std::string> fold = {
      "Fold", "CONSTANT Op(_, _)\nThree(a, b, c) == Op(Op(a, b), c)"};
  const auto named = spec_of(
      "EXTENDS Naturals\nPlus(a, b) == a + b\n"
      "F == INSTANCE Fold WITH Op <- Plus\n"
      "G == INSTANCE Fold WITH Op <- LAMBDA a, b : a * b",
      "", {fold});
  EXPECT_EQ(evaluated(named, "<<F!Three(1, 2, 3), G!Three(2, 3, 4)>>"), "<<6, 24>>");
  const auto unnamed = spec_of("EXTENDS Naturals\nOp(a, b) == a - b\nINSTANCE Fold", "", {fold});
  EXPECT_EQ(evaluated(unnamed, "Three(9, 2, 3)"), "4");
}

TEST(Instance, InsideLet) {
  const auto spec = spec_of(
      "EXTENDS Naturals\n"
      "Of(v) == LET I == INSTANCE Counter WITH n <- v, Limit <- v + 1 "
      "IN I!Double + (IF I!AtLimit THEN 1 ELSE 0)",
      "", {kCounter});
  EXPECT_EQ(evaluated(spec, "Of(5)"), "10");
}

TEST(Instance, Mistakes) {
  EXPECT_THAT(load_error("I == INSTANCE Counter WITH m <- 1", "", {kCounter}),
              HasSubstr("m is neither a constant nor a variable of module Counter"));
  EXPECT_THAT(load_error("VARIABLE n\nI == INSTANCE Counter\nA == I!Double", "", {kCounter}),
              HasSubstr("unknown name Limit"));
  EXPECT_THAT(
      load_error("VARIABLE n\nLimit == 1\nI == INSTANCE Counter\nA == I!Tripple", "", {kCounter}),
      HasSubstr("Tripple is not defined in module Counter"));
}

TEST(Names, Mistakes) {
  EXPECT_THAT(load_error("A == B"), HasSubstr("M.tla:2:6: unknown name B"));
  EXPECT_THAT(load_error("A == B\nB == 1"), HasSubstr("used before its definition"));
  EXPECT_THAT(load_error("A == A"), HasSubstr("RECURSIVE"));
  EXPECT_THAT(load_error("A == 1\nA == 2"), HasSubstr("already defined"));
  EXPECT_THAT(load_error("A(x) == x\nB == A(1, 2)"), HasSubstr("takes 1 argument, 2 are given"));
  EXPECT_THAT(load_error("VARIABLE x\nA == x''"), HasSubstr("prime"));
  EXPECT_THAT(load_error("F(Op(_)) == Op(1)\nA == F(3)"), HasSubstr("expected an operator"));
  EXPECT_THAT(load_error("A == [a |-> 1, a |-> 2]"), HasSubstr("given twice"));
}

TEST(Configuration, ConstantsReplacementsAndMistakes) {
  const std::string body =
      "EXTENDS Naturals\nCONSTANTS N, S, Op(_)\nInc(x) == x + 1\nSmall == 0..2\n"
      "All == <<N, S, Op(1), Nat>>";
  const auto spec = spec_of(body, "CONSTANTS N = 3 S = {a, b} Op <- Inc Nat <- Small");
  EXPECT_EQ(evaluated(spec, "All"), "<<3, {a, b}, 2, {0, 1, 2}>>");
  EXPECT_THAT(load_error(body, "CONSTANTS N = 3 Op <- Inc"), HasSubstr("constant S has no value"));
  EXPECT_THAT(load_error(body, "CONSTANTS N = 3 S = 1 Op <- Incr"), HasSubstr("Incr"));
  EXPECT_THAT(load_error("VARIABLE x\nInv == x' = 1", "INVARIANT Inv"), HasSubstr("prime"));
  EXPECT_THAT(load_error("VARIABLE x\nInv == x = 1", "INVARIANT Inw"), HasSubstr("Inv"));
}

TEST(Configuration, ConstantsOfTheOptionsWin) {
  SpecOptions options;
  options.constants = {{"N", "{1, 2} \\cup {7}"}};
  const auto spec = spec_of("CONSTANT N", "CONSTANT N = 3", {}, options);
  EXPECT_EQ(evaluated(spec, "N"), "{1, 2, 7}");
}

TEST(Configuration, SpecificationIsTakenApart) {
  const auto spec = spec_of(
      "EXTENDS Naturals\nVARIABLES x, y\nvars == <<x, y>>\nInit == x = 0 /\\ y = 0\n"
      "Step == x' = 1 - x /\\ UNCHANGED y\nLive == WF_vars(Step)\n"
      "Base == Init /\\ [][Step]_vars\nSpec == Base /\\ Live\nEventually == <>(x = 1)",
      "SPECIFICATION Spec\nPROPERTY Eventually");
  EXPECT_TRUE(spec->has_behaviour());
  EXPECT_TRUE(spec->notices().empty());
  EXPECT_EQ(spec->program().fairness.size(), 1u);
  EXPECT_EQ(spec->program().temporal_properties.size(), 1u);
  Machine machine(spec);
  const std::vector<State> states = initial_states(machine);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_THAT(successors_of(machine, states[0]), ElementsAre("Step: x = 1 y = 0"));
  EXPECT_EQ(machine.action_properties(), 0u);
}

// Labels are the actions that Next reaches without a conjunction in between.
TEST(Actions, AreListedWithParameters) {
  const auto spec = spec_of(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nAdd(a, b) == x' = a + b\nReset == x' = 0\n"
      "Hidden == x' = 5\nBoth == x < 3 /\\ Hidden\n"
      "Next == Reset \\/ Both \\/ \\E a \\in 1..2 : Add(a, 1)");
  const auto add = spec->find_action("Add");
  ASSERT_TRUE(add.has_value());
  EXPECT_THAT(spec->actions()[*add].parameters, ElementsAre("a", "b"));
  EXPECT_TRUE(spec->actions()[*add].is_label);
  EXPECT_FALSE(spec->actions()[*spec->find_action("Hidden")].is_label);
  EXPECT_TRUE(spec->actions()[*spec->find_action("Both")].is_label);
  EXPECT_FALSE(spec->find_action("Init").has_value());
}

// A guard is found by its place, left out or negated.
TEST(Mutation, ChangesOneConjunct) {
  const std::string body =
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == /\\ x < 1\n        /\\ x' = x + 1";
  const auto spec = spec_of(body);
  const std::vector<GuardDescription> guards = spec->guards();
  ASSERT_EQ(guards.size(), 2u);
  EXPECT_FALSE(guards[0].is_assignment);
  EXPECT_TRUE(guards[1].is_assignment);
  SpecOptions options;
  options.change =
      SpecOptions::GuardChange{guards[0].module, guards[0].at.line, guards[0].at.column, false};
  Machine without(spec_of(body, "", {}, options));
  const State state = {Value::integer(4)};
  EXPECT_THAT(successors_of(without, state), ElementsAre("Next: x = 5"));
  options.change->negate = true;
  Machine negated(spec_of(body, "", {}, options));
  EXPECT_THAT(successors_of(negated, {Value::integer(0)}), ElementsAre());
  EXPECT_THAT(successors_of(negated, state), ElementsAre("Next: x = 5"));
}

}  // namespace
}  // namespace dissensus::tla
