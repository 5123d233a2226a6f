// Expressions have the values that the language gives them, and are refused where TLC refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "amount.h"
#include "tla/machine_fixture.h"

namespace dissensus::tla {
namespace {

using testing::HasSubstr;

struct Case {
  const char* expression;
  const char* value;
};

class EvaluateTest : public testing::TestWithParam<Case> {};

TEST_P(EvaluateTest, GivesTheValue) {
  EXPECT_EQ(value_of(GetParam().expression), GetParam().value) << GetParam().expression;
}

INSTANTIATE_TEST_SUITE_P(
    Logic, EvaluateTest,
    testing::Values(Case{"TRUE /\\ ~FALSE", "TRUE"}, Case{"FALSE => 1 = \"a\"", "TRUE"},
                    Case{"TRUE <=> FALSE", "FALSE"}, Case{"IF 1 < 2 THEN 3 ELSE 4", "3"},
                    Case{"CASE 1 > 2 -> 1 [] 2 > 1 -> 2 [] OTHER -> 3", "2"},
                    Case{"\\A x \\in 1..3, y \\in {1} : x >= y", "TRUE"},
                    Case{"\\E <<a, b>> \\in {<<1, 2>>, <<3, 3>>} : a = b", "TRUE"},
                    Case{"CHOOSE x \\in {3, 1, 2} : x > 1", "2"},
                    Case{"LET f(a) == a + 1 IN f(f(1))", "3"},
                    Case{"LET x == 1 y == x + 1 IN y * y", "4"}));

INSTANTIATE_TEST_SUITE_P(Numbers, EvaluateTest,
                         testing::Values(Case{"7 \\div 2", "3"}, Case{"(-7) \\div 2", "-4"},
                                         Case{"-7 \\div 2", "-3"}, Case{"-7 % 3", "2"},
                                         Case{"2 ^ 10", "1024"}, Case{"1..0", "{}"},
                                         Case{"-3 + 1", "-2"}));

INSTANTIATE_TEST_SUITE_P(Sets, EvaluateTest,
                         testing::Values(Case{"{3, 1, 2, 1}", "{1, 2, 3}"},
                                         Case{"{x \\in 1..5 : x % 2 = 1}", "{1, 3, 5}"},
                                         Case{"{x + y : x \\in 1..2, y \\in 1..2}", "{2, 3, 4}"},
                                         Case{"Cardinality(SUBSET (1..10))", "1024"},
                                         Case{"{1, 2} \\in SUBSET Nat", "TRUE"},
                                         Case{"5 \\in {n \\in Nat : n > 3}", "TRUE"},
                                         Case{"UNION {{1}, {2, 3}}", "{1, 2, 3}"},
                                         Case{"{s \\in SUBSET (1..3) : Cardinality(s) = 1}",
                                              "{{1}, {2}, {3}}"},
                                         Case{"[i \\in 1..2 |-> 0] \\in [1..2 -> 0..1]", "TRUE"},
                                         Case{"{1} \\X {2, 3}", "{<<1, 2>>, <<1, 3>>}"},
                                         Case{"Cardinality([1..3 -> BOOLEAN])", "8"}));

INSTANTIATE_TEST_SUITE_P(
    Functions, EvaluateTest,
    testing::Values(Case{"[i \\in 1..3 |-> i * i]", "<<1, 4, 9>>"},
                    Case{"[[a |-> 1, b |-> 2] EXCEPT !.a = @ + 5]", "[a |-> 6, b |-> 2]"},
                    Case{"[<<1, <<2, 3>>>> EXCEPT ![2][1] = 7, ![1] = @ + 1]", "<<2, <<7, 3>>>>"},
                    Case{"[x \\in {1, 2}, y \\in {3} |-> x + y][2, 3]", "5"},
                    Case{"DOMAIN [a |-> 1, b |-> 2]", "{\"a\", \"b\"}"}, Case{"[a |-> 1].a", "1"},
                    Case{"Append(<<1>>, 2) \\o <<3>>", "<<1, 2, 3>>"},
                    Case{"Head(Tail(<<1, 2>>))", "2"}, Case{"(1 :> 2 @@ 5 :> 6)[5]", "6"},
                    Case{"LET f[n \\in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[10]",
                         "3628800"},
                    Case{"[n \\in Nat |-> n + 1][41]", "42"},
                    Case{"[i \\in 1..2 |-> [j \\in 1..i |-> i + j]]", "<<<<2>>, <<3, 4>>>>"}));

TEST(EvaluateDefinitions, RecursionAndOperatorsAsArguments) {
  const std::string definitions =
      "RECURSIVE Sum(_)\n"
      "Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN x + Sum(S \\ {x})\n"
      "RECURSIVE Even(_)\n"
      "RECURSIVE Odd(_)\n"
      "Even(n) == n = 0 \\/ Odd(n - 1)\n"
      "Odd(n) == n # 0 /\\ Even(n - 1)\n"
      "Twice(F(_), x) == F(F(x))\n"
      "Apply(Op(_, _), a, b) == Op(a, b)\n"
      "Double(x) == 2 * x\n"
      "Fib[n \\in Nat] == IF n < 2 THEN n ELSE Fib[n - 1] + Fib[n - 2]\n"
      "a ++ b == a * 10 + b\n";
  EXPECT_EQ(value_of("Sum(1..100)", definitions), "5050");
  EXPECT_EQ(value_of("<<Even(10), Odd(10)>>", definitions), "<<TRUE, FALSE>>");
  EXPECT_EQ(value_of("Twice(Double, 3)", definitions), "12");
  EXPECT_EQ(value_of("LET k == 5 IN Twice(LAMBDA x : x + k, 1)", definitions), "11");
  EXPECT_EQ(value_of("Apply(+, 2, 3)", definitions), "5");
  EXPECT_EQ(value_of("Apply(\\cup, {1}, {2})", definitions), "{1, 2}");
  EXPECT_EQ(value_of("Fib[80]", definitions), "23416728348467685");
  EXPECT_EQ(value_of("1 ++ 2", definitions), "12");
}

// A LET operator is called while another call of it is under way: each has a frame of its own.
TEST(EvaluateDefinitions, CallsDoNotDisturbEachOther) {
  EXPECT_EQ(value_of("LET F(a) == {x \\in 1..5 : x > a} IN F(Cardinality(F(3)))"), "{3, 4, 5}");
  EXPECT_EQ(value_of("LET F(a) == \\A x \\in 1..2 : \\E y \\in a..3 : y > x "
                     "IN F(IF F(1) THEN 2 ELSE 9)"),
            "TRUE");
}

// A function over a set that is not the same each time is evaluated once and kept, however it is
// used.
TEST(EvaluateDefinitions, FunctionsWithImpurePartsAreApplied) {
  const std::string printing =
      "S == IF PrintT(\"hello\") THEN 1..3 ELSE {}\nF == [s \\in S |-> s + 1]\n";
  EXPECT_EQ(value_of("F[2]", printing), "3");
  EXPECT_EQ(value_of("<<F, DOMAIN F, [F EXCEPT ![1] = F[3]]>>", printing),
            "<<<<2, 3, 4>>, {1, 2, 3}, <<4, 3, 4>>>>");
  const std::string random = "R == [s \\in 1..50 |-> RandomElement(1..1000)]\n";
  EXPECT_EQ(value_of("\\A s \\in 1..50 : R[s] = R[s] /\\ R[s] \\in 1..1000", random), "TRUE");
  const std::string recursive =
      "Count[n \\in 0..9] == IF n = 0 THEN 0 ELSE IF PrintT(n) THEN 1 + Count[n - 1] ELSE 0\n";
  EXPECT_EQ(value_of("Count[7]", recursive), "7");
}

// Arguments are evaluated when they are needed, as TLC does.
TEST(EvaluateDefinitions, UnusedArgumentsAreNotEvaluated) {
  const std::string definitions = "First(a, b) == a\nGuarded(c, e) == IF c THEN e ELSE 0\n";
  EXPECT_EQ(value_of("First(1, 1 \\div 0)", definitions), "1");
  EXPECT_EQ(value_of("Guarded(FALSE, Head(<<>>))", definitions), "0");
}

TEST(EvaluateErrors, SayWhatWasFound) {
  EXPECT_THAT(refusal_of("1 + \"a\""), HasSubstr("expected a number"));
  EXPECT_THAT(refusal_of("IF 1 THEN 2 ELSE 3"), HasSubstr("expected TRUE or FALSE"));
  EXPECT_THAT(refusal_of("[i \\in 1..3 |-> i][5]"), HasSubstr("applied to 5, outside its domain"));
  EXPECT_THAT(refusal_of("[a |-> 1].b"), HasSubstr("has no field b"));
  EXPECT_THAT(refusal_of("CHOOSE x \\in {1} : x > 1"), HasSubstr("satisfies this CHOOSE"));
  EXPECT_THAT(refusal_of("CHOOSE x : x \\notin {1}"), HasSubstr("CHOOSE without a set"));
  EXPECT_THAT(refusal_of("CASE FALSE -> 1"), HasSubstr("no guard of this CASE"));
  EXPECT_THAT(refusal_of("1 \\div 0"), HasSubstr("by 0"));
  EXPECT_NE(refusal_of("1 = \"a\""), "");
  EXPECT_NE(refusal_of("{n \\in Nat : n > 3}"), "");
  EXPECT_THAT(refusal_of("4611686018427387904"), HasSubstr("too large"));
}

TEST(EvaluateErrors, EndlessRecursionEndsWithAMessage) {
  EXPECT_THAT(refusal_of("F(1)", "RECURSIVE F(_)\nF(n) == 1 + F(n + 1)\n"),
              HasSubstr("nested too deeply"));
}

// Deep recursion moves to a stack of its own and comes back.
TEST(EvaluateErrors, DeepRecursionWorks) {
  // Sanitizers have larger frames, and ThreadSanitizer keeps at most 65,536 of them.
  const std::string depth = test::kSanitized ? "4000" : "20000";
  EXPECT_EQ(
      value_of("F(" + depth + ")", "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE 1 + F(n - 1)\n"),
      depth);
}

TEST(EvaluateErrors, StepLimitEndsEvaluation) {
  MachineOptions options;
  options.steps = 1000;
  Machine machine(spec_of("EXTENDS Naturals\n"), options);
  const auto expression = machine.compile("\\A x \\in 1..100000 : x > 0");
  EXPECT_THROW(machine.evaluate(*expression), EvaluationError);
}

TEST(Compile, ParametersAndStates) {
  Machine machine(spec_of("EXTENDS Naturals\nVARIABLE x\nInit == x = 1\nNext == x' = x + 1\n"));
  const auto sum = machine.compile("x + k", {"k"});
  const State state = {Value::integer(4)};
  const Value arguments[] = {Value::integer(3)};
  EXPECT_EQ(to_string(machine.evaluate(*sum, &state, arguments)), "7");
  const auto change = machine.compile("x' - x");
  const State next = {Value::integer(9)};
  EXPECT_EQ(to_string(machine.evaluate(*change, &state, {}, &next)), "5");
  EXPECT_THROW(machine.evaluate(*change, &state), EvaluationError);
  EXPECT_THROW(machine.compile("x + y"), SpecError);
}

// Memory is given back; what is kept and what is constant has the same value afterwards.
TEST(Collect, KeepsStatesAndConstants) {
  Machine machine(
      spec_of("EXTENDS Integers, Sequences\nVARIABLE x\nBig == [i \\in 1..50 |-> {i}]\n"
              "Init == x = <<>>\nNext == x' = Append(x, Big[Len(x) + 1])\n"));
  State state = initial_states(machine).at(0);
  std::string last;
  for (int i = 0; i < 20; ++i) {
    State next;
    machine.successors(state, [&](const Label&, const State& found) {
      next = found;
      return true;
    });
    state = next;
    const std::string before = to_string(state[0]);
    State* keep[] = {&state};
    machine.collect(keep);
    EXPECT_EQ(to_string(state[0]), before);
  }
  const auto length = machine.compile("Len(x) = 20 /\\ x[20] = {20}");
  EXPECT_TRUE(machine.evaluate(*length, &state).truth());
}

}  // namespace
}  // namespace dissensus::tla
