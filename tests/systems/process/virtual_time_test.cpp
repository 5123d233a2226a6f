// Unmodified programs, with clocks, threads and sleeps of their own: they speak the plain protocol
// and know nothing of the superset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "search/registry.h"
#include "systems/process/support.h"

namespace dissensus::process {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVirtual = "clock = \"virtual\"\n";

/// A scenario of the program of examples/nodes/python/cache.py.
run::Scenario cache_scenario(const std::string& options) {
  std::string text = read_file(source("scenarios/process/cache.toml"), 1 << 20);
  const auto replace = [&text](const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
  };
  replace("\"examples/nodes/python\"", "\"" + source("examples/nodes/python") + "\"");
  replace("\"--cache=0.3\"", options);
  return run::parse_scenario(text, "test.toml", registry());
}

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
  EXPECT_EQ(first_signature(runner.run(
                echo_scenario("[\"/bin/sh\", \"-c\", \"kill -SEGV $$\"]", clock), {}, 1)),
            "invariant/crash");
  EXPECT_EQ(first_signature(runner.run(echo_scenario("[\"/bin/sleep\", \"1000\"]", clock), {}, 1)),
            "invariant/silence");
  EXPECT_EQ(first_signature(runner.run(
                echo_scenario("[\"/bin/sh\", \"-c\", \"exec sleep 1000 >&-\"]", clock), {}, 1)),
            "invariant/silence");
  EXPECT_EQ(
      first_signature(runner.run(
          echo_scenario("[\"/bin/sh\", \"-c\", \"exec head -c 1000000000 /dev/zero\"]", clock), {},
          1)),
      "invariant/flood");
  EXPECT_EQ(
      first_signature(runner.run(
          echo_scenario("[\"/bin/sh\", \"-c\", \"echo hello; exec sleep 1000\"]", clock), {}, 1)),
      "invariant/nonsense");
}

// What it says before it ends is heard before its end.
TEST(VirtualTime, TheLastLineOfAProgramIsHeard) {
  run::Runner runner;
  const run::RunResult result =
      runner.run(echo_scenario("[\"/bin/sh\", \"-c\", \"echo hello; exit 3\"]", kVirtual), {}, 1);
  EXPECT_EQ(first_signature(result), "invariant/nonsense");
}

/// A program may have its output and its input for what they are: pipes.
TEST(VirtualTime, StandardInputAndOutputArePipes) {
  run::Runner runner;
  const run::Scenario scenario = echo_scenario(python(R"(
import json, os, stat
assert stat.S_ISFIFO(os.fstat(0).st_mode) and stat.S_ISFIFO(os.fstat(1).st_mode)
say = open("/proc/self/fd/1", "w")
for text in open("/proc/self/fd/0"):
    line = json.loads(text)
    body = dict(line["body"], type=line["body"]["type"] + "_ok", in_reply_to=line["body"]["msg_id"])
    # More than a pipe holds.
    body["much"] = "x" * 300_000
    print(json.dumps({"src": line["dest"], "dest": line["src"], "body": body}), file=say, flush=True)
)"),
                                               kVirtual);
  const run::RunResult result = runner.run(scenario, {}, 1);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
  EXPECT_GT(result.sent[scenario.system_description().find_kind("echo_ok")], 10u);
}

TEST(VirtualTime, OtherClocksAreRefused) {
  for (const auto& [text, expected] : {std::pair{"mode = \"virtual-time\"\n", "expected clock"},
                                       std::pair{"clock = \"real\"\n", "told, virtual"}}) {
    try {
      echo_scenario("[\"/bin/cat\"]", text);
      FAIL() << "expected an error";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected));
    }
  }
}

TEST(VirtualTime, AHuntFindsAStaleCache) {
  const run::Scenario scenario = cache_scenario("\"--cache=0.3\"");
  hunt::HuntOptions options;
  options.search = "random";
  options.budget.runs = 2;
  hunt::HuntParts parts = hunt::make_parts(scenario, search::built_in_registry(), options);
  const hunt::HuntResult result = hunt::hunt(scenario, parts, options);
  ASSERT_FALSE(result.progress.findings.empty());
  EXPECT_EQ(result.progress.findings.front().signature, "history/not-linearizable");
}

TEST(VirtualTime, WithoutItsCacheTheSameProgramPasses) {
  run::Runner runner;
  const run::RunResult result = run_random(runner, cache_scenario("\"--cache=0\""), 3);
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::pass)
      << first_signature(result) << " " << result.ended_by;
}

}  // namespace
}  // namespace dissensus::process
