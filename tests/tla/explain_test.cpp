// An action that is not possible is explained by the conjunct that failed, with its operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/machine_fixture.h"

namespace dissensus::tla {
namespace {

using testing::Contains;
using testing::Pair;

const char* const kBody =
    "EXTENDS Naturals\nVARIABLES round, net\n"
    "Init == round = [p \\in 1..2 |-> 0] /\\ net = {}\n"
    "Fits(r, p) == r <= round[p]\n"
    "Receive(p, r) == /\\ p \\in 1..2\n"
    "                 /\\ \\E m \\in net :\n"
    "                      /\\ m[1] = p\n"
    "                      /\\ Fits(m[2], p)\n"
    "                      /\\ round' = round\n"
    "                      /\\ net' = net \\ {m}\n"
    "Next == \\E p \\in 1..2, r \\in 0..3 : Receive(p, r)";

TEST(Explain, NamesTheDeepestFailingGuard) {
  const auto spec = spec_of(kBody);
  Machine machine(spec);
  const State state = {
      machine.evaluate(*machine.compile("<<0, 0>>")),
      machine.evaluate(*machine.compile("{<<1, 1>>, <<2, 5>>}")),
  };
  const Value arguments[] = {Value::integer(1), Value::integer(1)};
  const Explanation why = machine.explain(state, *spec->find_action("Receive"), arguments);
  ASSERT_EQ(why.guards.size(), 2u);
  EXPECT_EQ(why.guards[0].text, "r <= round[p]");
  EXPECT_EQ(why.guards[0].at.line, 5u);
  EXPECT_GT(why.guards[0].depth, why.guards[1].depth);
  EXPECT_THAT(why.guards[0].operands, Contains(Pair("r", "1")));
  EXPECT_THAT(why.guards[0].operands, Contains(Pair("round[p]", "0")));
  EXPECT_EQ(why.guards[1].text, "m[1] = p");
  EXPECT_THAT(why.guards[1].operands, Contains(Pair("m", "<<2, 5>>")));
}

TEST(Explain, WholeNextAndPossibleActions) {
  const auto spec = spec_of(kBody);
  Machine machine(spec);
  const State state = {
      machine.evaluate(*machine.compile("<<0, 0>>")),
      machine.evaluate(*machine.compile("{<<1, 1>>}")),
  };
  EXPECT_FALSE(machine.explain(state, *spec->find_action("Next"), {}).guards.empty());
  const State fitting = {machine.evaluate(*machine.compile("<<1, 0>>")), state[1]};
  const Value arguments[] = {Value::integer(1), Value::integer(1)};
  EXPECT_TRUE(machine.explain(fitting, *spec->find_action("Receive"), arguments).guards.empty());
}

std::vector<std::string> deciding(Machine& machine, const State& state) {
  std::vector<std::string> texts;
  machine.deciding_guards(state, 1000, [&](const Location& at) { texts.push_back(at.excerpt()); });
  return texts;
}

// A conjunct decides where it alone is false: of a step, or of a condition that is looked at.
TEST(DecidingGuards, AreFalseAlone) {
  const auto spec = spec_of(
      "EXTENDS Naturals\nVARIABLES x, y\nBig == x < 2 /\\ y > 2\n"
      "Init == x = 0 /\\ y = 0\n"
      "A == x = 1 /\\ y = 1 /\\ x' = (IF Big THEN 0 ELSE x) /\\ y' = y\n"
      "B == y # 0 /\\ 6 \\div y > 2 /\\ UNCHANGED <<x, y>>\n"
      "Next == A \\/ B");
  Machine machine(spec);
  const auto at = [](int x, int y) { return State{Value::integer(x), Value::integer(y)}; };
  EXPECT_THAT(deciding(machine, at(0, 1)), testing::ElementsAre("x = 1"));
  EXPECT_THAT(deciding(machine, at(1, 3)), testing::ElementsAre("y = 1", "6 \\div y > 2"));
  EXPECT_THAT(deciding(machine, at(1, 1)), testing::ElementsAre("y > 2"));
  EXPECT_THAT(deciding(machine, at(0, 0)), testing::IsEmpty()) << "without y # 0 there is no value";
  EXPECT_THAT(deciding(machine, at(5, 3)), testing::ElementsAre("6 \\div y > 2"));
  EXPECT_EQ(spec->conjuncts({*spec->find_action("A"), *spec->find_action("B")}).size(), 6u);
  // Steps are what they were, and results from before do not hide anything.
  EXPECT_EQ(successors_of(machine, at(1, 1)).size(), 2u);
  EXPECT_THAT(deciding(machine, at(0, 1)), testing::ElementsAre("x = 1"));
}

}  // namespace
}  // namespace dissensus::tla
