// The end of a server is seen, whoever else of its node lives; the death of a helper is told; and
// a run that real time cuts is not judged.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/runner.h"
#include "systems/hosted/script_scenario.h"

namespace dissensus::hosted {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Verdict, first violation and notes of a run of this script.
std::string came_of(const std::string& script, const std::string& more = {}) {
  run::Runner runner;
  return told(runner.run(script_scenario(script, more), {}, 1));
}

TEST(Ends, AServerThatEndsIsAFindingWhateverItsHelpersDo) {
  EXPECT_EQ(came_of("helper { stay } sleep 100 exit 1"), "fail crash/exit-1");
  EXPECT_EQ(came_of("helper { stay } sleep 100 abort"), "fail crash/SIGABRT");
  EXPECT_EQ(came_of("helper { sleep 200 exit 5 } exit 0"), "fail crash/exit-5");
  EXPECT_EQ(came_of("helper { stay } sleep 100 exit 1", "may_exit = true\n"), "pass");
}

TEST(Ends, AHelperThatDiesIsTold) {
  EXPECT_EQ(came_of("helper { sleep 300 raise 11 } stay"), "pass note process/SIGSEGV");
  EXPECT_EQ(came_of("helper { exit 1 } helper { abort } stay"),
            "pass note process/exit-1 note process/SIGABRT");
  EXPECT_EQ(came_of("helper { stay } kill-helper stay"), "pass");
  run::Runner runner;
  const run::RunResult result =
      runner.run(script_scenario("helper { sleep 300 raise 11 } stay", ""), {}, 1);
  EXPECT_EQ(result.verdict.notes.at(0).text,
            "node 0: n0 process 1 (host_script) killed by signal 11 (Segmentation fault) at "
            "0.300000 s, and no other process expected it");
}

TEST(Ends, APortOfDatagramsIsFreeAfterARestart) {
  const run::Scenario scenario = script_scenario("bind 5000 stay", "");
  const std::string text = R"({"format":"dissensus-schedule/1","system":"server","nodes":1,
      "faults":[{"type":"crash","node":0,"at":"300ms","restart_after":"200ms"}]})";
  run::Runner runner;
  const run::RunResult result = runner.run(
      scenario, faults::parse_schedule(text, "test", scenario.system_description(), 1), 1);
  EXPECT_EQ(told(result), "pass");
}

/// The same of a program that is a node.
std::string came_of_process(const std::string& script, const std::string& more = {}) {
  run::Runner runner;
  return told(runner.run(process_scenario(script, in_virtual_time() + more), {}, 1));
}

TEST(Ends, AProgramThatEndsIsAFindingWhateverItsHelpersDo) {
  EXPECT_EQ(came_of_process("helper { stay } serve 1 exit 1"), "fail invariant/exit");
  EXPECT_EQ(came_of_process("helper { stay } serve 1 sleep 1900 abort"), "fail invariant/crash");
  EXPECT_EQ(came_of_process("helper { sleep 100 raise 11 } serve 0"),
            "pass note process/SIGSEGV note process/SIGSEGV");
}

TEST(Ends, AProgramThatNeverStopsTalkingIsHeard) {
  EXPECT_EQ(came_of_process("serve 2 flood"), "fail invariant/flood");
}

TEST(Ends, AProgramThatRealTimeCutsIsUnknown) {
  EXPECT_EQ(
      came_of_process("helper { compute } serve 0", "[system.limits]\nwall_time = \"200ms\"\n"),
      "unknown");
}

TEST(Ends, ALineWithoutEndIsNotOurEnd) {
  EXPECT_EQ(came_of("say-much 4000 stay",
                    "[[system.observe]]\nname = \"x\"\npattern = \"^.*z\"\n"
                    "[system.ready]\nline = \"^.*x\"\n"),
            "pass");
}

TEST(Ends, ARunThatRealTimeCutsIsUnknown) {
  const std::string limit = "[system.limits]\nwall_time = \"200ms\"\n";
  for (const char* const script : {"compute", "helper { compute } stay", "fork-bomb"}) {
    run::Runner runner;
    const run::RunResult result = runner.run(script_scenario(script, limit), {}, 1);
    EXPECT_EQ(told(result), "unknown") << script;
    EXPECT_THAT(result.ended_by, HasSubstr("more than 0.2 s of real time")) << script;
  }
}

}  // namespace
}  // namespace dissensus::hosted
