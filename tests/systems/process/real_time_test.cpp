// Unmodified programs in real time: nobody waits for them, and no two runs are equal.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dissensus/outside.h"

#include "core/file.h"
#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "search/registry.h"
#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRealClock = "clock = \"real\"\n";
constexpr const char* kRealClockAndPatience =
    "clock = \"real\"\n[system.limits]\nanswer = \"500ms\"\n";
/// The line is too long before anybody asks for an answer to init, however busy the machine is.
constexpr const char* kRealClockAndShortLines =
    "clock = \"real\"\n[system.limits]\nanswer = \"60s\"\nline_kib = 16\n";

/// A scenario of the program of examples/nodes/python/cache.py.
run::Scenario cache_scenario(const std::string& options) {
  std::string text = read_file(source("scenarios/process/real-time.toml"), 1 << 20);
  const auto replace = [&text](const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
  };
  replace("examples/nodes", source("examples/nodes"));
  replace("\"--cache=0.3\"", options);
  return run::parse_scenario(text, "test.toml", registry());
}

TEST(RealTime, UnmodifiedProgramsRunForAsLongAsTheScenarioSays) {
  const run::Scenario scenario = echo_scenario(python(kThreaded), kRealClock);
  const SystemTraits traits = scenario.system->traits();
  EXPECT_TRUE(traits.real_time);
  EXPECT_TRUE(traits.outside);
  EXPECT_FALSE(traits.repeatable);
  run::Runner runner;
  const auto begin = std::chrono::steady_clock::now();
  const run::RunResult result = runner.run(scenario, {}, 7);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
  EXPECT_GT(result.sent[scenario.system_description().find_kind("echo_ok")], 5u);
}

TEST(RealTime, CrashesAndRestartsHappenToPrograms) {
  const run::Scenario scenario = echo_scenario(python(kThreaded), kRealClock);
  const run::RunResult result = run_with_a_restart(scenario);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
}

TEST(RealTime, ProgramsThatMisbehaveAreFindings) {
  const auto rule = [](const std::string& command, const char* limits = kRealClockAndPatience) {
    run::Runner runner;
    return first_signature(runner.run(echo_scenario(command, limits), {}, 1));
  };
  EXPECT_EQ(rule("[\"/bin/sh\", \"-c\", \"exit 3\"]"), "invariant/exit");
  EXPECT_EQ(rule("[\"/bin/sh\", \"-c\", \"kill -SEGV $$\"]"), "invariant/crash");
  EXPECT_EQ(rule("[\"/bin/sleep\", \"1000\"]"), "invariant/silence");
  EXPECT_EQ(rule("[\"/bin/sh\", \"-c\", \"exec sleep 1000 >&-\"]"), "invariant/silence");
  EXPECT_EQ(rule("[\"/bin/sh\", \"-c\", \"echo hello; exec sleep 1000\"]"), "invariant/nonsense");
  EXPECT_EQ(
      rule("[\"/bin/sh\", \"-c\", \"exec head -c 1000000000 /dev/zero\"]", kRealClockAndShortLines),
      "invariant/flood");
}

TEST(RealTime, AProgramThatDoesNotExistIsAnError) {
  run::Runner runner;
  EXPECT_THROW(runner.run(echo_scenario("[\"/no/such/program\"]", kRealClock), {}, 1), InputError);
}

TEST(RealTime, TheFormerKeyIsRefusedWithTheNewOne) {
  try {
    echo_scenario("[\"/bin/cat\"]", "mode = \"virtual-time\"\n");
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected clock in its place"));
  }
}

/// A run is there once: the finding keeps it, and says how often further runs showed the same.
TEST(RealTime, AHuntKeepsTheRunAndConfirmsIt) {
  const run::Scenario scenario = cache_scenario("\"--cache=0.3\"");
  hunt::HuntOptions options;
  options.search = "random";
  options.budget.runs = 6;
  options.confirmations = 2;
  hunt::HuntParts parts = hunt::make_parts(scenario, search::built_in_registry(), options);
  const hunt::HuntResult result = hunt::hunt(scenario, parts, options);
  ASSERT_FALSE(result.progress.findings.empty());
  const hunt::Finding& finding = result.progress.findings.front();
  EXPECT_EQ(finding.signature, "history/not-linearizable");
  EXPECT_EQ(finding.confirmations, 2u);
  EXPECT_GE(finding.confirmed, 1u);
  ASSERT_NE(finding.kept, nullptr);
  EXPECT_FALSE(finding.kept->records.empty());
}

TEST(RealTime, WithoutItsCacheTheSameProgramPasses) {
  run::Runner runner;
  const run::RunResult result = run_random(runner, cache_scenario("\"--cache=0\""), 3);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
}

}  // namespace
}  // namespace dissensus::process
