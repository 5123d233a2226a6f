// Counterexamples as people, programs and other tools read them.
#include "tla/exploration/behaviour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tla/exploration/check.h"
#include "tla/given.h"

namespace dissensus::tla {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Behaviour peterson() {
  return check(given::example("Peterson", {{"Polite", "FALSE"}})).trace;
}

TEST(Behaviour, TextMarksWhatChangedAndSaysWhatItWas) {
  const std::string text = to_text(peterson());
  EXPECT_THAT(text, HasSubstr("State 1: initial state\n"));
  EXPECT_THAT(text, HasSubstr("State 2: Ask(p = 0)  ("));
  EXPECT_THAT(text, HasSubstr("Peterson.tla:21:1)\n"));
  // Of a function only the entry that changed is repeated.
  EXPECT_THAT(text, HasSubstr("   ([0] was \"idle\")\n"));
  EXPECT_THAT(text, HasSubstr("  /\\ turn = "));
}

TEST(Behaviour, ChangesOnlyLeavesTheRestOut) {
  TextOptions options;
  options.changes_only = true;
  const std::string text = to_text(peterson(), options);
  const std::string second =
      text.substr(text.find("State 2"), text.find("State 3") - text.find("State 2"));
  EXPECT_THAT(second, HasSubstr("wants"));
  EXPECT_THAT(second, Not(HasSubstr("turn")));
}

TEST(Behaviour, LongOnesAreCutInTheMiddle) {
  TextOptions options;
  options.states_max = 4;
  const std::string text = to_text(peterson(), options);
  EXPECT_THAT(text, HasSubstr("State 2"));
  EXPECT_THAT(text, HasSubstr("... 3 states are not shown ..."));
  EXPECT_THAT(text, Not(HasSubstr("State 4")));
  EXPECT_THAT(text, HasSubstr("State 7"));
}

TEST(Behaviour, JsonHasActionArgumentsStateAndChanges) {
  const json list = json::parse(to_json(peterson()));
  ASSERT_EQ(list.size(), 7u);
  EXPECT_TRUE(list[0]["action"].is_null());
  EXPECT_EQ(list[1]["action"], "Ask");
  EXPECT_EQ(list[1]["arguments"], json::parse(R"({"p": 0})"));
  EXPECT_EQ(list[1]["changed"], json::parse(R"(["at", "wants"])"));
  EXPECT_TRUE(list[1]["state"].contains("turn"));
}

TEST(Behaviour, ItfIsWellFormed) {
  const json itf = json::parse(to_itf(peterson(), "Peterson.tla"));
  EXPECT_EQ(itf["#meta"]["format"], "ITF");
  EXPECT_EQ(itf["vars"], json::parse(R"(["at", "wants", "turn"])"));
  ASSERT_EQ(itf["states"].size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(itf["states"][i]["#meta"]["index"], i);
    for (const char* variable : {"at", "wants", "turn"}) {
      EXPECT_TRUE(itf["states"][i].contains(variable)) << variable;
    }
  }
  EXPECT_EQ(itf["states"][1]["#meta"]["action"], "Ask");
  EXPECT_TRUE(itf["states"][1]["at"].contains("#map")) << "domain {0, 1} makes no sequence";
}

TEST(Behaviour, AnAliasIsShownInsteadOfTheVariables) {
  const CheckResult result = check(given::spec(
      "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == x < 2\nShown == [double |-> 2 * x]",
      "INIT Init NEXT Next INVARIANT OK ALIAS Shown"));
  ASSERT_EQ(result.trace.size(), 3u);
  EXPECT_THAT(to_text(result.trace), HasSubstr("[double |-> 4]"));
}

// TLC evaluates the alias state by state, with the level and the trace up to there.
TEST(Behaviour, AnAliasKnowsTheLevelAndTheTraceUpToItsState) {
  const CheckResult result = check(given::spec(
      "LOCAL INSTANCE TLCExt\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == x < 2\n"
      "Shown == [level |-> TLCGet(\"level\"), past |-> [i \\in 1..Len(Trace) |-> Trace[i].x]]",
      "INIT Init NEXT Next INVARIANT OK ALIAS Shown"));
  ASSERT_EQ(result.trace.size(), 3u);
  EXPECT_THAT(result.remarks, testing::IsEmpty());
  EXPECT_EQ(to_string(result.trace[0].alias), "[level |-> 1, past |-> <<0>>]");
  EXPECT_EQ(to_string(result.trace[2].alias), "[level |-> 3, past |-> <<0, 1, 2>>]");
}

TEST(Behaviour, AnAliasThatCannotBeEvaluatedIsSaid) {
  const CheckResult result = check(given::spec(
      "VARIABLE x\nInit == x = 0\nNext == x' = x + 1\nOK == x < 2\nShown == [a |-> <<1>>[x]]",
      "INIT Init NEXT Next INVARIANT OK ALIAS Shown"));
  ASSERT_EQ(result.trace.size(), 3u);
  EXPECT_TRUE(result.trace[0].alias.is_null());
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_THAT(result.remarks[0], HasSubstr("ALIAS Shown cannot be evaluated in state 1"));
}

}  // namespace
}  // namespace dissensus::tla
