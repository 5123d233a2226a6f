// Unmodified programs, with clocks, threads and sleeps of their own: they speak the plain protocol
// and know nothing of the superset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/outside.h"

#include "systems/process/support.h"

namespace dissensus::process {
namespace {

TEST(VirtualTime, UnmodifiedProgramsRunAndRepeat) {
  const run::Scenario scenario = echo_scenario(python(kThreaded), "mode = \"virtual-time\"\n");
  run::Runner runner;
  std::vector<std::uint64_t> hashes;
  for (int times = 0; times < 2; ++times) {
    const run::RunResult result = runner.run(scenario, {}, 7);
    EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
        << first_signature(result) << " " << result.ended_by;
    EXPECT_GT(result.sent[scenario.system_description().find_kind("echo_ok")], 10u);
    hashes.push_back(result.hash);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_NE(runner.run(scenario, {}, 8).hash, hashes[0]);
}

TEST(VirtualTime, CrashesAndRestartsHappenToPrograms) {
  const run::Scenario scenario = echo_scenario(python(kThreaded), "mode = \"virtual-time\"\n");
  const std::string text =
      R"({"format":"dissensus-schedule/1","system":"process","nodes":4,"faults":[
          {"type":"crash","node":0,"at":"300ms","restart_after":"200ms"}]})";
  run::Runner runner;
  const run::RunResult result = runner.run(
      scenario,
      faults::parse_schedule(text, "test", scenario.system_description(), scenario.nodes()), 1);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
}

TEST(VirtualTime, ProgramsThatEndOrSayNothingAreFindings) {
  const std::string mode = "mode = \"virtual-time\"\n[system.limits]\nanswer = \"500ms\"\n";
  run::Runner runner;
  EXPECT_EQ(
      first_signature(runner.run(echo_scenario("[\"/bin/sh\", \"-c\", \"exit 3\"]", mode), {}, 1)),
      "invariant/exit");
  EXPECT_EQ(first_signature(runner.run(echo_scenario("[\"/bin/sleep\", \"1000\"]", mode), {}, 1)),
            "invariant/silence");
  EXPECT_EQ(
      first_signature(runner.run(
          echo_scenario("[\"/bin/sh\", \"-c\", \"echo hello; exec sleep 1000\"]", mode), {}, 1)),
      "invariant/nonsense");
}

}  // namespace
}  // namespace dissensus::process
