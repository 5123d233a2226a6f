// Which states follow, how often and under which label: as TLC generates them.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/machine_fixture.h"

namespace dissensus::tla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHead = "EXTENDS Integers, Sequences, FiniteSets\n";

std::vector<std::string> steps(const std::string& body, const State& state) {
  Machine machine(spec_of(kHead + body));
  return successors_of(machine, state);
}

std::vector<std::string> from_zero(const std::string& next) {
  return steps("VARIABLE x\nInit == x = 0\nNext == " + next, {Value::integer(0)});
}

std::string step_error(const std::string& body, const State& state) {
  try {
    steps(body, state);
  } catch (const EvaluationError& error) {
    return error.message();
  }
  return "";
}

TEST(InitialStates, AreEnumerated) {
  Machine machine(spec_of(std::string(kHead) +
                          "VARIABLES x, y\nSmall(v) == v \\in 1..2\n"
                          "Init == Small(x) /\\ (y = x \\/ y = 0) /\\ (x = 2 => y # 0)\n"
                          "Next == UNCHANGED <<x, y>>"));
  std::vector<std::string> found;
  for (const State& state : initial_states(machine)) {
    found.push_back(to_string(state[0]) + to_string(state[1]));
  }
  EXPECT_THAT(found, ElementsAre("11", "10", "22"));
}

// With every variable assigned the rest is a predicate: one state, not one per way to satisfy it.
TEST(InitialStates, RestIsAPredicateOnceAllIsAssigned) {
  Machine machine(spec_of(std::string(kHead) +
                          "VARIABLE x\nInit == x = 1 /\\ (x > 0 \\/ x > -1)\nNext == x' = x"));
  EXPECT_EQ(initial_states(machine).size(), 1u);
}

TEST(Successors, AssignmentFormsAndOrder) {
  EXPECT_THAT(from_zero("x' = x + 1"), ElementsAre("Next: x = 1"));
  EXPECT_THAT(from_zero("x' \\in {2, 1}"), ElementsAre("Next: x = 1", "Next: x = 2"));
  EXPECT_THAT(from_zero("x' \\in 1..3 /\\ x' # 2"), ElementsAre("Next: x = 1", "Next: x = 3"));
  EXPECT_THAT(from_zero("x' = 1 \\/ x' = 1"), ElementsAre("Next: x = 1", "Next: x = 1"));
  EXPECT_THAT(from_zero("IF x = 0 THEN x' = 5 ELSE x' = 6"), ElementsAre("Next: x = 5"));
  EXPECT_THAT(from_zero("CASE x = 1 -> x' = 1 [] OTHER -> x' = 2"), ElementsAre("Next: x = 2"));
  EXPECT_THAT(from_zero("LET y == x + 3 IN x' = y"), ElementsAre("Next: x = 3"));
  EXPECT_THAT(from_zero("\\E a \\in 1..2 : x' = a"), ElementsAre("Next: x = 1", "Next: x = 2"));
  EXPECT_THAT(from_zero("x' = 1 /\\ x' = 2"), IsEmpty());
  EXPECT_THAT(from_zero("[x' = 1]_x"), ElementsAre("Next: x = 1", "Next: x = 0"));
  EXPECT_THAT(from_zero("<<x' \\in 0..1>>_x"), ElementsAre("Next: x = 1"));
  EXPECT_THAT(from_zero("(x' = x + 1) \\cdot (x' = x * 10)"), ElementsAre("Next: x = 10"));
  EXPECT_THAT(from_zero("x' \\subseteq {1}"), ElementsAre("Next: x = {}", "Next: x = {1}"));
}

// A guard that holds in two ways gives two successors, as in TLC, while something is unassigned.
TEST(Successors, WaysToSatisfyAGuardAreCounted) {
  EXPECT_THAT(from_zero("(x = 0 \\/ x < 1) /\\ x' = 1"), ElementsAre("Next: x = 1", "Next: x = 1"));
  EXPECT_THAT(from_zero("(\\E a \\in 1..3 : a > 1) /\\ x' = 1"),
              ElementsAre("Next: x = 1", "Next: x = 1"));
  EXPECT_THAT(from_zero("x' = 1 /\\ (\\E a \\in 1..3 : a > 1)"), ElementsAre("Next: x = 1"));
}

TEST(Successors, EnabledDoesNotAssign) {
  EXPECT_THAT(from_zero("ENABLED (x' = 7 /\\ x = 0) /\\ ~ENABLED (x = 1 /\\ x' = 2) /\\ x' = 1"),
              ElementsAre("Next: x = 1"));
}

TEST(Successors, UnchangedThroughDefinitionsAndParameters) {
  const std::string body =
      "VARIABLES x, y, z\nrest == <<y, z>>\nKeep(v) == UNCHANGED v\n"
      "Set(v, e) == v' = e\nInit == x = 0 /\\ y = 0 /\\ z = 0\n";
  const State state = {Value::integer(0), Value::integer(1), Value::integer(2)};
  EXPECT_THAT(steps(body + "Next == x' = 9 /\\ UNCHANGED rest", state),
              ElementsAre("Next: x = 9 y = 1 z = 2"));
  EXPECT_THAT(steps(body + "Next == Set(x, z) /\\ Keep(<<y, z>>)", state),
              ElementsAre("Next: x = 2 y = 1 z = 2"));
  EXPECT_THAT(steps(body + "Next == y' = 4 /\\ x' = y' + 1 /\\ UNCHANGED z", state),
              ElementsAre("Next: x = 5 y = 4 z = 2"));
}

TEST(Successors, BoundedForAllAssignsByConjunction) {
  EXPECT_THAT(steps("VARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
                    "Put(i) == IF i = 1 THEN x' \\in 1..2 ELSE y' = i\n"
                    "Next == \\A i \\in {1, 2} : Put(i)",
                    {Value::integer(0), Value::integer(0)}),
              ElementsAre("Next: x = 1 y = 2", "Next: x = 2 y = 2"));
}

TEST(Successors, LabelIsTheInnermostNamedAction) {
  EXPECT_THAT(
      steps("VARIABLE x\nInit == x = 0\nSet(a) == x' = a\nGroup(b) == Set(b) \\/ x' = -b\n"
            "Next == \\E i \\in 1..2 : Group(i)",
            {Value::integer(0)}),
      ElementsAre("Set(1): x = 1", "Group(1): x = -1", "Set(2): x = 2", "Group(2): x = -2"));
}

TEST(Successors, Mistakes) {
  const State state = {Value::integer(0), Value::integer(0)};
  const std::string body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n";
  EXPECT_THAT(step_error(body + "Next == x' = 1", state), HasSubstr("gives y' no value"));
  EXPECT_THAT(step_error(body + "Next == x' > 1 /\\ UNCHANGED <<x, y>>", state),
              HasSubstr("x' is used before it has a value"));
  EXPECT_THAT(step_error(body + "Next == x /\\ UNCHANGED <<x, y>>", state),
              HasSubstr("expected TRUE or FALSE"));
}

TEST(Perform, CallsOneActionWithArguments) {
  const auto spec = spec_of(std::string(kHead) +
                            "VARIABLE x\nInit == x = 0\nAdd(a, b) == x < 10 /\\ x' = x + a * b\n"
                            "Next == \\E a, b \\in 1..2 : Add(a, b)");
  Machine machine(spec);
  const Value arguments[] = {Value::integer(5), Value::integer(7)};
  std::vector<State> found;
  const auto visit = [&](const State& state) {
    found.push_back(state);
    return true;
  };
  machine.perform({Value::integer(1)}, *spec->find_action("Add"), arguments, visit);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(to_string(found[0][0]), "36");
  machine.perform({Value::integer(10)}, *spec->find_action("Add"), arguments, visit);
  EXPECT_EQ(found.size(), 1u);
  EXPECT_TRUE(machine.is_step({Value::integer(1)}, {Value::integer(3)}));
  EXPECT_FALSE(machine.is_step({Value::integer(1)}, {Value::integer(8)}));
  EXPECT_EQ(machine.enabled({Value::integer(1)}, 10).size(), 4u);
}

TEST(RandomStep, FollowsWeightsAndSeed) {
  const auto spec =
      spec_of(std::string(kHead) +
              "VARIABLE x\nInit == x = 0\nA == x' = 1\nB == x' = 2\nC == x' \\in 3..9\n"
              "Next == A \\/ B \\/ C");
  Machine machine(spec);
  std::vector<double> weights(spec->actions().size(), 1);
  weights[*spec->find_action("A")] = 0;
  weights[*spec->find_action("B")] = 9;
  Random random(7);
  std::map<std::string, int> count;
  for (int i = 0; i < 1000; ++i) {
    Label label;
    State next;
    ASSERT_TRUE(machine.random_step({Value::integer(0)}, weights, random, label, next));
    ++count[to_string(*spec, label)];
  }
  EXPECT_EQ(count["A"], 0);
  EXPECT_NEAR(count["B"], 900, 60);
  weights.assign(weights.size(), 0);
  Label label;
  State next;
  EXPECT_FALSE(machine.random_step({Value::integer(0)}, weights, random, label, next));
}

TEST(Properties, InvariantsConstraintsAndStepProperties) {
  const auto spec =
      spec_of(std::string(kHead) +
                  "VARIABLES x, y\nvars == <<x, y>>\nInit == x = 0 /\\ y = 0\nNext == x' = x + 1 "
                  "/\\ y' = y\n"
                  "Spec == Init /\\ [][Next]_vars\nSmall == \\A i \\in 1..3 : x < 3 /\\ y = 0\n"
                  "Bound == x < 5\nStep == x' = x + 1\nGrows == [][x' >= x]_x\nFromZero == x = 0 "
                  "/\\ []Bound",
              "SPECIFICATION Spec\nINVARIANT Small\nCONSTRAINT Bound\nACTION_CONSTRAINT Step\n"
              "PROPERTIES Grows FromZero");
  Machine machine(spec);
  const auto at = [](int x) { return State{Value::integer(x), Value::integer(0)}; };
  for (int round = 0; round < 2; ++round) {  // the second from what is remembered
    EXPECT_TRUE(machine.invariant_holds(0, at(2)));
    EXPECT_FALSE(machine.invariant_holds(0, at(3)));
  }
  EXPECT_TRUE(machine.is_within_constraints(at(4)));
  EXPECT_FALSE(machine.is_within_constraints(at(5)));
  EXPECT_TRUE(machine.is_within_action_constraints(at(1), at(2)));
  EXPECT_FALSE(machine.is_within_action_constraints(at(1), at(3)));
  ASSERT_EQ(machine.action_properties(), 2u);
  EXPECT_EQ(machine.action_property_name(0), "Grows");
  EXPECT_TRUE(machine.action_property_holds(0, at(1), at(2)));
  EXPECT_FALSE(machine.action_property_holds(0, at(2), at(1)));
  EXPECT_FALSE(machine.action_property_holds(1, at(4), at(5)));
  ASSERT_EQ(machine.initial_properties(), 1u);
  EXPECT_TRUE(machine.initial_property_holds(0, at(0)));
  EXPECT_FALSE(machine.initial_property_holds(0, at(1)));
}

TEST(Fingerprint, SymmetryAndView) {
  const std::string body =
      "EXTENDS TLC, Naturals\nCONSTANT P\nVARIABLES x, y\nInit == x \\in P /\\ y = 0\n"
      "Next == UNCHANGED <<x, y>>\nPerms == Permutations(P)\nView == x";
  Machine symmetric(spec_of(body, "CONSTANT P = {a, b, c}\nINIT Init\nNEXT Next\nSYMMETRY Perms"));
  const std::vector<State> states = initial_states(symmetric);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(symmetric.fingerprint(states[0]), symmetric.fingerprint(states[2]));
  Machine plain(spec_of(body, "CONSTANT P = {a, b, c}\nINIT Init\nNEXT Next\nVIEW View"));
  const std::vector<State> seen = initial_states(plain);
  EXPECT_NE(plain.fingerprint(seen[0]), plain.fingerprint(seen[2]));
  State other = seen[0];
  other[1] = Value::integer(8);
  EXPECT_EQ(plain.fingerprint(seen[0]), plain.fingerprint(other));
}

// A visitor may call the machine again.
TEST(Successors, VisitorsMayUseTheMachine) {
  const auto spec =
      spec_of(std::string(kHead) +
                  "VARIABLE x\nInit == x = 0\nNext == \\E a \\in 1..3 : x' = x * 2 + a\n"
                  "Inv == \\A i \\in 0..x : i <= x",
              "INIT Init\nNEXT Next\nINVARIANT Inv");
  Machine machine(spec);
  std::size_t inner = 0;
  std::size_t outer = 0;
  machine.successors({Value::integer(1)}, [&](const Label&, const State& next) {
    const std::string before = to_string(next[0]);
    EXPECT_TRUE(machine.invariant_holds(0, next));
    inner += successors_of(machine, next).size();
    EXPECT_EQ(to_string(next[0]), before);
    ++outer;
    return true;
  });
  EXPECT_EQ(outer, 3u);
  EXPECT_EQ(inner, 9u);
}

}  // namespace
}  // namespace dissensus::tla
