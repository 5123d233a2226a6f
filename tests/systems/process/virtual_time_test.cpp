// Unmodified programs, with clocks, threads and sleeps of their own: they speak the plain protocol
// and know nothing of the superset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/outside.h"

#include "systems/process/support.h"

namespace dissensus::process {
namespace {

TEST(VirtualTime, UnmodifiedProgramsRunAndRepeat) {
  const run::Scenario scenario = echo_scenario(python(kThreaded), "clock = \"virtual\"\n");
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
  const run::Scenario scenario = echo_scenario(python(kThreaded), "clock = \"virtual\"\n");
  const run::RunResult result = run_with_a_restart(scenario);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
}

TEST(VirtualTime, ProgramsThatEndOrSayNothingAreFindings) {
  const std::string clock = "clock = \"virtual\"\n[system.limits]\nanswer = \"500ms\"\n";
  run::Runner runner;
  EXPECT_EQ(
      first_signature(runner.run(echo_scenario("[\"/bin/sh\", \"-c\", \"exit 3\"]", clock), {}, 1)),
      "invariant/exit");
  EXPECT_EQ(first_signature(runner.run(echo_scenario("[\"/bin/sleep\", \"1000\"]", clock), {}, 1)),
            "invariant/silence");
  EXPECT_EQ(
      first_signature(runner.run(
          echo_scenario("[\"/bin/sh\", \"-c\", \"echo hello; exec sleep 1000\"]", clock), {}, 1)),
      "invariant/nonsense");
}

}  // namespace
}  // namespace dissensus::process
