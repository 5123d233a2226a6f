// Logs against specifications: what is admitted, and how a refusal is explained.
#include "tla/logs/trace.h"

#include <cstdio>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tla/given.h"

namespace dissensus::tla {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::shared_ptr<const Spec> two_phase() {
  return given::example("TwoPhase");
}

LogResult match(const std::shared_ptr<const Spec>& spec, const std::string& log,
                const LogOptions& options = {}) {
  return check_log_text(spec, log, "log.ndjson", options);
}

std::string refusal_of(const std::string& log) {
  try {
    match(two_phase(), log);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr const char* kGoodLog =
    "{\"action\": \"Init\", \"post\": {\"outcome\": \"none\", \"votes\": []}}\n"
    "{\"action\": \"Prepare\", \"args\": [1], \"post\": {\"state[p]\": \"prepared\"}}\n"
    "{\"action\": \"Prepare\", \"args\": [2]}\n"
    "{\"action\": \"Receive\", \"args\": [2], \"post\": {\"votes\": [2], \"Cardinality(votes)\": "
    "1}}\n"
    "{\"action\": \"Prepare\"}\n"
    "\n"
    "{\"action\": \"Receive\", \"args\": [1], \"_note\": \"keys with _ are ours\"}\n"
    "{\"action\": \"Receive\", \"args\": [3], \"state\": {\"votes\": [3, 1, 2]}}\n"
    "{\"action\": \"DecideCommit\", \"pre\": {\"outcome\": \"none\"}, \"post\": {\"outcome\": "
    "\"commit\"}}\n";

TEST(Log, OfARealRunIsAdmitted) {
  const LogResult result = match(two_phase(), kGoodLog);
  EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
  EXPECT_EQ(result.events, 8u);
  EXPECT_EQ(result.frontier, 1u);
}

TEST(Log, ArgumentsThatAreNotLoggedAreFound) {
  const LogResult result =
      match(two_phase(),
            "{\"action\": \"Prepare\"}\n"
            "{\"action\": \"GiveUp\", \"args\": [1]}\n"
            "{\"post\": {\"state\": [\"aborted\", \"aborted\", \"prepared\"]}}\n");
  EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
  EXPECT_EQ(result.frontier, 3u) << "any of the three may have prepared";
}

TEST(Log, ARefusalNamesTheGuardWithItsOperands) {
  const LogResult result = match(two_phase(),
                                 "{\"action\": \"Prepare\", \"args\": [1]}\n"
                                 "{\"action\": \"Receive\", \"args\": [2]}\n");
  ASSERT_EQ(result.outcome, LogOutcome::rejected);
  EXPECT_EQ(result.line, 2u);
  EXPECT_EQ(result.events, 1u);
  EXPECT_EQ(result.message, "log.ndjson:2: the model does not admit Receive here");
  EXPECT_FALSE(result.is_enabled);
  ASSERT_FALSE(result.explanation.guards.empty());
  EXPECT_THAT(result.explanation.guards[0].text, HasSubstr("Vote(p) \\in messages"));
  ASSERT_FALSE(result.enabled.empty());
  EXPECT_EQ(result.enabled[0], "Receive(1)") << "the same action comes first";
  EXPECT_EQ(result.before.size(), 1u);
}

TEST(Log, AWrongResultIsShownAsADifference) {
  const LogResult result =
      match(two_phase(),
            "{\"action\": \"Prepare\", \"args\": [1], \"post\": {\"state[p]\": "
            "\"aborted\", \"votes\": [], \"outcome\": \"commit\"}}\n");
  ASSERT_EQ(result.outcome, LogOutcome::rejected);
  EXPECT_TRUE(result.is_enabled);
  EXPECT_THAT(result.message, HasSubstr("admits Prepare, but not with the logged result"));
  ASSERT_EQ(result.differences.size(), 2u);
  EXPECT_EQ(result.differences[0].what, "state[p]");
  EXPECT_EQ(result.differences[0].logged, "\"aborted\"");
  EXPECT_EQ(result.differences[0].modelled, "\"prepared\"");
  EXPECT_EQ(result.differences[1].what, "outcome");
}

TEST(Log, AWrongInitialStateIsShownAsADifference) {
  const LogResult result =
      match(two_phase(), "{\"action\": \"Init\", \"post\": {\"outcome\": \"commit\"}}\n");
  ASSERT_EQ(result.outcome, LogOutcome::rejected);
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_EQ(result.differences[0].modelled, "\"none\"");
}

TEST(Log, HiddenStepsFillGapsUpToTheirCount) {
  const std::string log =
      "{\"action\": \"Prepare\", \"args\": [1]}\n"
      "{\"action\": \"Prepare\", \"args\": [2]}\n"
      "{\"action\": \"Prepare\", \"args\": [3]}\n"
      "{\"action\": \"DecideCommit\"}\n";
  LogOptions options;
  EXPECT_EQ(match(two_phase(), log, options).outcome, LogOutcome::rejected);
  options.hidden = {{"Receive", 2}};
  const LogResult two = match(two_phase(), log, options);
  // Two votes can arrive between any two events: three in all.
  EXPECT_EQ(two.outcome, LogOutcome::matched) << two.message;
  EXPECT_TRUE(two.used_hidden_steps);
  const std::string late =
      "{\"action\": \"Prepare\", \"args\": [1]}\n"
      "{\"action\": \"DecideCommit\"}\n";
  EXPECT_EQ(match(two_phase(), late, options).outcome, LogOutcome::rejected);
}

// A hidden step may be needed long before its absence shows.
TEST(Log, HiddenStepsAreConsideredEarlierWhenLaterIsTooLate) {
  const auto spec = given::spec(
      "VARIABLES x, door\nInit == x = 0 /\\ door = \"open\"\n"
      "Pass == door = \"open\" /\\ door' = \"open\" /\\ x' = x\n"
      "Hide == x' = 1 /\\ door = \"open\" /\\ UNCHANGED door\n"
      "Close == door' = \"shut\" /\\ UNCHANGED x\n"
      "Reveal == door = \"shut\" /\\ x = 1 /\\ UNCHANGED <<x, door>>\n"
      "Next == Pass \\/ Hide \\/ Close \\/ Reveal",
      "INIT Init NEXT Next");
  LogOptions options;
  options.hidden = {{"Hide", 1}};
  const LogResult result = match(
      spec, "{\"action\":\"Pass\"}\n{\"action\":\"Close\"}\n{\"action\":\"Reveal\"}\n", options);
  EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
}

TEST(Log, AnInvariantThatFailsOnTheWayIsAViolation) {
  const auto spec = given::spec(
      "VARIABLE x\nInit == x = 0\nAdd(n) == x' = x + n\n"
      "Next == \\E n \\in 1..3 : Add(n)\nSmall == x < 5",
      "INIT Init NEXT Next INVARIANT Small");
  const std::string log = "{\"action\":\"Add\",\"args\":[3]}\n{\"action\":\"Add\",\"args\":[2]}\n";
  const LogResult result = match(spec, log);
  EXPECT_EQ(result.outcome, LogOutcome::violation);
  EXPECT_EQ(result.property, "Small");
  EXPECT_EQ(result.line, 2u);
  LogOptions options;
  options.check_invariants = false;
  EXPECT_EQ(match(spec, log, options).outcome, LogOutcome::matched);
  // While one reading of the log keeps it, there is no violation.
  EXPECT_EQ(match(spec, "{\"action\":\"Add\",\"args\":[3]}\n{\"action\":\"Add\"}\n").outcome,
            LogOutcome::matched);
}

// A step that the log leaves out may be what keeps the invariant.
TEST(Log, AnInvariantIsViolatedOnlyIfNoHiddenStepKeepsIt) {
  const auto spec = given::spec(
      "VARIABLE x\nInit == x = 0\nAdd == x' = x + 1\nReset == x > 0 /\\ x' = 0\n"
      "Next == Add \\/ Reset\nSmall == x < 2",
      "INIT Init NEXT Next INVARIANT Small");
  const std::string log = "{\"action\":\"Add\"}\n{\"action\":\"Add\"}\n{\"action\":\"Add\"}\n";
  EXPECT_EQ(match(spec, log).outcome, LogOutcome::violation);
  LogOptions options;
  options.hidden = {{"Reset", 1}};
  const LogResult result = match(spec, log, options);
  EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
  EXPECT_EQ(result.events, 3u);
  EXPECT_TRUE(result.used_hidden_steps);
}

TEST(Log, TooManyHiddenStepsAreReportedAsIncomplete) {
  const auto spec = given::spec(
      "VARIABLE x\nInit == x = 0\nTick == x' = x + 1\nRing == x = 30 /\\ x' = x\n"
      "Next == Tick \\/ Ring",
      "INIT Init NEXT Next");
  LogOptions options;
  options.hidden = {{"Tick", 100}};
  const std::string log = "{\"action\":\"Ring\"}\n";
  EXPECT_EQ(match(spec, log, options).outcome, LogOutcome::matched);
  options.frontier_max = 20;
  EXPECT_EQ(match(spec, log, options).outcome, LogOutcome::incomplete);
}

TEST(Log, TooManyStatesThatAgreeAreReportedAsIncomplete) {
  LogOptions options;
  options.frontier_max = 4;
  const LogResult result = match(given::counters("50"), "{}\n{}\n{}\n{}\n", options);
  EXPECT_EQ(result.outcome, LogOutcome::incomplete);
  EXPECT_THAT(result.message, HasSubstr("more than 4 states"));
}

TEST(Log, ValuesOfEveryKindAreCompared) {
  const auto spec = given::spec(
      "CONSTANTS a, b\nVARIABLES f, r, s, t, m\n"
      "Init == f = [x \\in {a, b} |-> 1] /\\ r = [n |-> TRUE] /\\ s = {{1}, {1, 2}} /\\ t = <<>> "
      "/\\ m = a\n"
      "Put(x, y) == t' = Append(t, x) /\\ m' = y /\\ UNCHANGED <<f, r, s>>\n"
      "Next == \\E x \\in {1, 2}, y \\in {a, b} : Put(x, y)",
      "CONSTANTS a = a b = b INIT Init NEXT Next");
  const LogResult result =
      match(spec,
            "{\"action\":\"Init\",\"post\":{\"f\":{\"a\":1,\"b\":1},\"r\":{\"n\":true},\"s\":[[2,1]"
            ",[1]],\"t\":[],\"m\":\"a\"}}\n"
            "{\"action\":\"Put\",\"args\":[2,\"b\"],\"post\":{\"t\":[2],\"m\":\"b\",\"r.n\":true,"
            "\"f[y]\":1}}\n"
            "{\"action\":\"Put\",\"args\":[{\"#bigint\":\"1\"},\"a\"],\"post\":{\"t\":{\"#tup\":[2,"
            "1]},\"s\":{\"#set\":[{\"#set\":[1]},{\"#set\":[1,2]}]}}}\n");
  EXPECT_EQ(result.outcome, LogOutcome::matched) << result.message;
}

TEST(Log, BrokenLinesAreRefusedWithFileAndLine) {
  EXPECT_EQ(refusal_of("{\"action\": \"Prepare\", \"args\": [1]}\n{\"action\": }\n"),
            "log.ndjson:2: column 12: not valid JSON");
  EXPECT_EQ(refusal_of("[]\n"), "log.ndjson:1: expected an object {\"action\": ...}");
  EXPECT_THAT(refusal_of("{\"action\": \"Prepair\"}\n"), HasSubstr("did you mean 'Prepare'?"));
  EXPECT_THAT(refusal_of("{\"acton\": \"Prepare\"}\n"), HasSubstr("did you mean 'action'?"));
  EXPECT_EQ(refusal_of("{\"action\": \"Prepare\", \"args\": []}\n"),
            "log.ndjson:1: args: Prepare takes 1 (p), found 0");
  EXPECT_EQ(refusal_of("{\"action\": \"Prepare\", \"args\": 1}\n"),
            "log.ndjson:1: args: expected a list");
  EXPECT_THAT(refusal_of("{\"action\": \"Prepare\", \"args\": [1.5]}\n"), HasSubstr("1.5"));
  EXPECT_THAT(refusal_of("{\"action\": \"Prepare\", \"args\": [1], \"post\": {\"stat\": 1}}\n"),
              HasSubstr("log.ndjson:1: 'stat' is neither a variable nor an expression"));
  EXPECT_THAT(refusal_of("{}\n{\"action\": \"Init\"}\n"), HasSubstr("only the first event"));
}

TEST(Log, HiddenActionsMustExist) {
  LogOptions options;
  options.hidden = {{"Recieve", 1}};
  EXPECT_THROW(match(two_phase(), kGoodLog, options), InputError);
}

// Trace specifications.

/// A trace specification with a log of its own, in the style that reads it by IOEnv.
class TraceSpec : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tla-trace-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write_file(folder_ + "/Counting.tla",
               "---- MODULE Counting ----\nEXTENDS Integers, Sequences, Json, IOUtils\n"
               "VARIABLES x, l\n"
               "TraceLog == ndJsonDeserialize(IOEnv.COUNT_LOG)\n"
               "Init == x = 0 /\\ l = 1\n"
               "Add(n) == x + n <= 10 /\\ x' = x + n\n"
               "TraceNext == /\\ l <= Len(TraceLog)\n"
               "             /\\ l' = l + 1\n"
               "             /\\ Add(TraceLog[l].n)\n"
               "             /\\ x' = TraceLog[l].total\n"
               "Spec == Init /\\ [][TraceNext]_<<x, l>>\n====\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TraceSpecResult run(const std::string& log, bool depth_first = false) {
    write_file(folder_ + "/log.ndjson", log);
    TraceSpecOptions options;
    options.log = folder_ + "/log.ndjson";
    options.check.depth_first = depth_first;
    return check_trace_spec(
        Spec::load(folder_ + "/Counting.tla",
                   given::config("SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n"), {}),
        options);
  }

  std::string folder_;
};

TEST_F(TraceSpec, AdmitsAGoodLog) {
  for (const bool depth_first : {false, true}) {
    const TraceSpecResult result =
        run("{\"n\": 1, \"total\": 1}\n{\"n\": 4, \"total\": 5}\n", depth_first);
    EXPECT_TRUE(result.has_matched) << result.check.message;
    EXPECT_EQ(result.variable, "COUNT_LOG");
    EXPECT_EQ(result.cursor, "l");
    EXPECT_EQ(result.length, "Len(TraceLog)");
    EXPECT_EQ(result.deepest, 3);
    EXPECT_EQ(result.lines, 2);
    EXPECT_EQ(result.check.distinct, 3u);
  }
}

TEST_F(TraceSpec, SaysHowFarABadLogWentAndWhichGuardFailed) {
  const TraceSpecResult result =
      run("{\"n\": 1, \"total\": 1}\n{\"n\": 4, \"total\": 6}\n{\"n\": 1, \"total\": 7}\n");
  EXPECT_FALSE(result.has_matched);
  EXPECT_EQ(result.deepest, 2);
  EXPECT_EQ(result.lines, 3);
  ASSERT_FALSE(result.explanation.guards.empty());
  EXPECT_THAT(result.explanation.guards[0].text, HasSubstr("TraceLog[l].total"));
  EXPECT_EQ(result.check.maximum_trace.size(), 2u);
}

TEST(TraceSpecText, TheVariableOfTheLogIsFoundInTheText) {
  EXPECT_EQ(log_variable_of("F == IF \"JSON\" \\in DOMAIN IOEnv THEN IOEnv.JSON ELSE \"x\""),
            "JSON");
  EXPECT_EQ(log_variable_of("N == atoi(IOEnv.MAX)\nF == IOEnv.CCF_TRACE"), "CCF_TRACE");
  EXPECT_EQ(log_variable_of("F == 1"), "");
}

}  // namespace
}  // namespace dissensus::tla
