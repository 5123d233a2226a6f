// dissensus tla: what it prints and returns, and how it refuses bad input.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kExamples = kSourceFolder + "/specs/examples/";
const std::string kTwoPhase = kExamples + "TwoPhase.tla";

json json_of(const CommandResult& result) {
  return json::parse(result.out, nullptr, false);
}

TEST(TlaCheck, HoldsWithExitCode0AndCounts) {
  const WorkFolder folder;
  const CommandResult result = folder.run({"tla", "check", kTwoPhase});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("result    ok: every reachable state was checked\n"));
  EXPECT_THAT(result.out, HasSubstr("states    790 generated, 288 distinct, depth 11"));
  EXPECT_THAT(result.out, HasSubstr("DecideCommit"));
  EXPECT_THAT(result.err, IsEmpty());
}

// An algorithm is translated in its file; without that, in memory, and the answer says so.
TEST(TlaTranslate, WritesChecksAndIsNotNeededToCheck) {
  const WorkFolder folder;
  EXPECT_EQ(folder.run({"tla", "translate", kExamples + "Mutex.tla", "--check"}).exit_code, 0);
  const std::string module =
      "---- MODULE Once ----\nEXTENDS Naturals\n(* --algorithm Once {\n variable x = 0;\n"
      " { a: x := 1;\n   b: x := x + 1 } } *)\nSmall == x < 2\n====\n";
  folder.write("Once.tla", module);
  folder.write("Once.cfg", "SPECIFICATION Spec\nINVARIANT Small\n");
  const CommandResult in_memory = folder.run({"tla", "check", "Once.tla"});
  EXPECT_EQ(in_memory.exit_code, 1) << in_memory.err;
  EXPECT_THAT(in_memory.out, HasSubstr("notice    Once.tla:3:15: the algorithm has no translation; "
                                       "it was translated in memory"));
  EXPECT_THAT(in_memory.out, HasSubstr("State 3: b  (Once.tla:6:7)\n"));
  EXPECT_EQ(folder.run({"tla", "translate", "Once.tla", "--check"}).exit_code, 1);
  EXPECT_EQ(folder.run({"tla", "translate", "Once.tla"}).exit_code, 0);
  EXPECT_EQ(folder.run({"tla", "translate", "Once.tla", "--check"}).exit_code, 0);
  const CommandResult in_file = folder.run({"tla", "check", "Once.tla"});
  EXPECT_THAT(in_file.out, HasSubstr("State 3: b  (Once.tla:6:7)\n"));
  EXPECT_THAT(in_file.out, testing::Not(HasSubstr("notice")));
  folder.write("Bad.tla", "---- MODULE Bad ----\n(* --algorithm Bad { { x = 1 } } *)\n====\n");
  const CommandResult bad = folder.run({"tla", "translate", "Bad.tla"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("Bad.tla:2:26: expected ':=', found '='\n"));
  EXPECT_EQ(folder.run({"tla", "translate", kTwoPhase}).exit_code, 2);
}

// "ok" does not speak for properties that were asked for and not checked.
TEST(TlaCheck, LivenessThatIsNotCheckedIsPartOfTheResult) {
  const WorkFolder folder;
  folder.write("Light.tla",
               "---- MODULE Light ----\nVARIABLE on\nInit == on = FALSE\nNext == on' = ~on\n"
               "Goes == \\EE x : <>on\nStays == [][on' # on]_on\n====\n");
  folder.write("Light.cfg", "INIT Init\nNEXT Next\nPROPERTIES Goes Stays\n");
  const CommandResult result = folder.run({"tla", "check", "Light.tla"});
  EXPECT_THAT(result.out, HasSubstr("result    safety holds in every reachable state; liveness was "
                                    "not checked: Goes\n"));
  const json report = json_of(folder.run({"tla", "check", "Light.tla", "--json"}));
  EXPECT_EQ(report["unchecked_properties"], json::array({"Goes"}));
}

// A temporal property is violated by a behaviour without end: the states, and where they go back.
TEST(TlaCheck, ALassoIsShownWithWhereItGoesBackTo) {
  const WorkFolder folder;
  folder.write("Light.tla",
               "---- MODULE Light ----\nVARIABLE on\nInit == on = FALSE\nNext == on' = ~on\n"
               "Spec == Init /\\ [][Next]_on /\\ WF_on(Next)\nGoes == []<>on\nStays == <>[]on\n"
               "====\n");
  folder.write("Light.cfg", "SPECIFICATION Spec\nPROPERTY Goes\n");
  folder.write("Stays.cfg", "SPECIFICATION Spec\nPROPERTY Stays\n");
  const CommandResult holds = folder.run({"tla", "check", "Light.tla"});
  EXPECT_EQ(holds.exit_code, 0);
  EXPECT_THAT(holds.out, HasSubstr("result    ok: every reachable state was checked, and all fair "
                                   "behaviours for Goes\n"));
  const CommandResult fails = folder.run({"tla", "check", "Light.tla", "--config", "Stays.cfg"});
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_THAT(fails.out, HasSubstr("result    temporal property Stays is violated: the last 2 "
                                   "states repeat forever\n"));
  EXPECT_THAT(fails.out, HasSubstr("Back to state 1: Next\n"));
  const json report =
      json_of(folder.run({"tla", "check", "Light.tla", "--config", "Stays.cfg", "--json"}));
  EXPECT_EQ(report["loop"], 0);
  EXPECT_EQ(report["temporal_properties"], json::array({"Stays"}));
}

TEST(TlaCheck, JsonHasTheDocumentedKeys) {
  const WorkFolder folder;
  const CommandResult result = folder.run({"tla", "check", kTwoPhase, "--json", "--workers", "2"});
  const json report = json_of(result);
  for (const char* key : {"spec", "config", "result", "property", "message", "distinct",
                          "generated", "depth", "queued", "seconds", "cpu_seconds",
                          "states_per_second", "peak_bytes", "actions", "notices", "trace"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["result"], "ok");
  EXPECT_EQ(report["distinct"], 288);
  EXPECT_EQ(report["actions"]["DecideCommit"], 1);
}

TEST(TlaCheck, AViolationIsShownWithWhatChangedAndWrittenAsItf) {
  const WorkFolder folder;
  const CommandResult result = folder.run(
      {"tla", "check", kTwoPhase, "--constant", "Hasty=TRUE", "--itf", "trace.itf.json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("result    invariant Agreement is violated\n"));
  EXPECT_THAT(result.out, HasSubstr("State 8: Obey(p = "));
  EXPECT_THAT(result.out, HasSubstr(" was \"prepared\")"));
  const json itf = json::parse(read_text(folder.file("trace.itf.json")));
  EXPECT_EQ(itf["states"].size(), 8u);
}

TEST(TlaCheck, LimitsEndWithExitCode3) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"tla", "check", kTwoPhase, "--limit-states", "100", "--json"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(json_of(result)["result"], "incomplete");
  EXPECT_EQ(json_of(result)["distinct"], 100);
  EXPECT_EQ(folder.run({"tla", "check", kTwoPhase, "--limit-depth", "4", "-q"}).exit_code, 3);
}

TEST(TlaCheck, DeadlockCanBeSwitchedOff) {
  const WorkFolder folder;
  folder.write("Ends.tla",
               "---- MODULE Ends ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\n"
               "Next == x < 3 /\\ x' = x + 1\n====\n");
  folder.write("Ends.cfg", "INIT Init\nNEXT Next\n");
  const CommandResult result = folder.run({"tla", "check", "Ends"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("deadlock"));
  EXPECT_EQ(folder.run({"tla", "check", "Ends.tla", "--no-deadlock"}).exit_code, 0);
}

TEST(TlaCheck, AModelBesideTheSpecificationIsFound) {
  const WorkFolder folder;
  folder.write("Count.tla",
               "---- MODULE Count ----\nEXTENDS Integers\nCONSTANT N\nVARIABLE x\nInit == x = 0\n"
               "Next == x' = (x + 1) % N\n====\n");
  folder.write("MCCount.tla", "---- MODULE MCCount ----\nEXTENDS Count\nSeven == 7\n====\n");
  folder.write("MCCount.cfg", "CONSTANT N <- Seven\nINIT Init\nNEXT Next\n");
  const CommandResult result = folder.run({"tla", "check", "Count.tla", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json_of(result)["distinct"], 7);
}

struct BadInput {
  std::string what;
  std::vector<std::string> words;
  std::string message;
};

TEST(Tla, BadInputIsRefusedWithPlaceAndExpectation) {
  const WorkFolder folder;
  folder.write("Broken.tla", "---- MODULE Broken ----\nVARIABLE x\nInit == x = \n====\n");
  folder.write("Good.tla",
               "---- MODULE Good ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n");
  folder.write("bad.cfg", "INIT Init\nNEXT\n");
  folder.write("typo.cfg", "INIT Init\nNEXT Nexxt\n");
  folder.write("bad.ndjson", "{\"action\": \"Nxt\"}\n");
  const std::vector<BadInput> cases{
      {"no such file", {"check", "Nowhere.tla"}, "Nowhere.tla"},
      {"syntax", {"check", "Broken.tla"}, "Broken.tla:4:1: "},
      {"configuration", {"check", "Good.tla", "--config", "bad.cfg"}, "bad.cfg:"},
      {"unknown name", {"check", "Good.tla", "--config", "typo.cfg"}, "typo.cfg:2:6: "},
      {"constant", {"check", "Good.tla", "--constant", "N"}, "--constant N: expected NAME=VALUE"},
      {"option", {"check", "Good.tla", "--worker", "1"}, "--worker"},
      {"verb", {"chek", "Good.tla"}, "did you mean 'check'?"},
      {"nothing", {}, "tla: expected what to do (check, simulate, trace, eval, translate)"},
      {"weight", {"simulate", "Good.tla", "--weight", "Next=much"}, "expected a number"},
      {"unknown weight", {"simulate", "Good.tla", "--weight", "Nxt=2"}, "did you mean 'Next'?"},
      {"log", {"trace", "Good.tla", "bad.ndjson"}, "bad.ndjson:1: action: no action 'Nxt'"},
      {"no log", {"trace", "Good.tla", "none.ndjson"}, "none.ndjson"},
      {"expression", {"eval", "1 +"}, "1:"},
      {"evaluation", {"eval", "Head(<<>>)"}, "Head"},
      {"jar",
       {"check", "Good.tla", "--tlc", "none.jar"},
       "none.jar: no such file, expected TLC's jar"},
  };
  for (const BadInput& bad : cases) {
    std::vector<std::string> words{"tla"};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2) << bad.what << result.out;
    EXPECT_THAT(result.err, AllOf(HasSubstr("dissensus: "), HasSubstr(bad.message))) << bad.what;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << bad.what << result.err;
  }
}

TEST(TlaSimulate, WritesWalksThatTraceAdmits) {
  const WorkFolder folder;
  const CommandResult result = folder.run({"tla", "simulate", kTwoPhase, "--walks", "5", "--depth",
                                           "20", "--out", "walks", "--swarm", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json_of(result)["walks"], 5);
  const CommandResult matched = folder.run({"tla", "trace", kTwoPhase, "walks/walk-00003.ndjson"});
  EXPECT_EQ(matched.exit_code, 0) << matched.out << matched.err;
  EXPECT_THAT(matched.out, HasSubstr("result    matched: the model admits the log\n"));
}

TEST(TlaSimulate, AFoundViolationHasExitCode1) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"tla", "simulate", kTwoPhase, "--constant", "Hasty=TRUE", "--walks", "5000"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("result    invariant Agreement is violated\n"));
  EXPECT_THAT(result.out, HasSubstr(" of seed 1:\nState 1: initial state\n"));
}

TEST(TlaTrace, ARejectedLogIsExplained) {
  const WorkFolder folder;
  folder.write(
      "run.ndjson",
      "{\"action\": \"Prepare\", \"args\": [1]}\n{\"action\": \"Receive\", \"args\": [2]}\n");
  const CommandResult result = folder.run({"tla", "trace", kTwoPhase, "run.ndjson"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("run.ndjson:2: the model does not admit Receive here"));
  EXPECT_THAT(result.out, HasSubstr("Vote(p) \\in messages"));
  EXPECT_THAT(result.out, HasSubstr("enabled instead, the most similar first:\n  Receive(1)\n"));
  const json report = json_of(folder.run({"tla", "trace", kTwoPhase, "run.ndjson", "--json"}));
  EXPECT_EQ(report["result"], "rejected");
  EXPECT_EQ(report["line"], 2);
}

TEST(TlaTrace, ATraceSpecificationReadsItsLog) {
  const WorkFolder folder;
  folder.write(
      "Steps.tla",
      "---- MODULE Steps ----\nEXTENDS Integers, Sequences, Json, IOUtils\nVARIABLES x, l\n"
      "TraceLog == ndJsonDeserialize(IOEnv.STEPS)\n"
      "Init == x = 0 /\\ l = 1\n"
      "Next == l <= Len(TraceLog) /\\ l' = l + 1 /\\ x' = x + 1 /\\ x' = TraceLog[l].x\n"
      "====\n");
  folder.write("Steps.cfg", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n");
  folder.write("good.ndjson", "{\"x\": 1}\n{\"x\": 2}\n");
  folder.write("bad.ndjson", "{\"x\": 1}\n{\"x\": 3}\n");
  const CommandResult good = folder.run({"tla", "trace", "Steps.tla", "--log", "good.ndjson"});
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  const CommandResult bad = folder.run({"tla", "trace", "Steps.tla", "--log", "bad.ndjson"});
  EXPECT_EQ(bad.exit_code, 1) << bad.out << bad.err;
  EXPECT_THAT(bad.out, HasSubstr("rejected: line 2 of 2 fits no step"));
  EXPECT_THAT(bad.out, HasSubstr("x' = TraceLog[l].x"));
}

TEST(TlaEval, PrintsValues) {
  const WorkFolder folder;
  EXPECT_EQ(folder.run({"tla", "eval", "{x * x : x \\in 1..3}"}).out, "{1, 4, 9}\n");
  EXPECT_EQ(folder.run({"tla", "eval", "Enough({1, 2, 3})", "--spec", kTwoPhase}).out, "TRUE\n");
  EXPECT_EQ(folder.run({"tla", "eval", "outcome", "--initial", "--spec", kTwoPhase}).out,
            "\"none\"\n");
  const json value = json_of(folder.run({"tla", "eval", "<<1, TRUE>>", "--json"}));
  EXPECT_EQ(value["value"], "<<1, TRUE>>");
  EXPECT_EQ(value["json"], json::parse("[1, true]"));
}

TEST(TlaHelp, EverySubVerbShowsAnExample) {
  const WorkFolder folder;
  for (const std::string verb : {"check", "simulate", "trace", "eval"}) {
    const CommandResult result = folder.run({"tla", verb, "--help"});
    EXPECT_EQ(result.exit_code, 0) << verb;
    EXPECT_THAT(result.out, HasSubstr("dissensus tla " + verb)) << verb;
  }
}

}  // namespace
}  // namespace dissensus::cli_test
