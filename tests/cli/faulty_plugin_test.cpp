// Faults of the system under test are findings like any other: found, shrunk, replayed, reported,
// and the program that found them goes on.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

// Sanitizers meet these faults before the program does, and do not survive forks beside threads.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kSanitizedWords = "faults of foreign code are tested without sanitizers";

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kScenario = kSourceFolder + "/tests/cli/plugins/faulty.toml";

struct Expected {
  std::string fault;
  std::string property;
  std::string rule;  ///< how it begins
  std::string text;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.fault;
}

class FaultyPlugin : public testing::TestWithParam<Expected> {
 protected:
  CommandResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--plugin", DISSENSUS_FAULTY_PLUGIN});
    return folder_.run(words);
  }
  WorkFolder folder_;
};

TEST_P(FaultyPlugin, IsFoundShrunkReplayedAndReported) {
  if (kSanitized) GTEST_SKIP() << kSanitizedWords;
  const Expected& expected = GetParam();
  std::vector<std::string> words{"hunt",
                                 kScenario,
                                 "--search",
                                 "random",
                                 "--json",
                                 "--set",
                                 "system.fault=\"" + expected.fault + "\""};
  // On a busy machine taking all that memory may be slower than a call may be: that is no hang.
  if (expected.property == "memory") {
    words.insert(words.end(),
                 {"--set", "limits.call=\"20s\"", "--set", "limits.memory_bytes=32000000"});
  }
  const CommandResult hunt = run(words);
  ASSERT_EQ(hunt.exit_code, 1) << hunt.err;
  const json violation = json::parse(hunt.out)["violations"][0];
  EXPECT_EQ(violation["property"], expected.property);
  EXPECT_THAT(violation["rule"].get<std::string>(), StartsWith(expected.rule));
  EXPECT_EQ(violation["nodes"], json::array({0}));
  EXPECT_THAT(violation["text"].get<std::string>(), HasSubstr(expected.text));
  // Its shrunk run has one delay at most, and none of the delays of node 2.
  const json minimal = json::parse(read_text(folder_.file("runs/latest/shrink.json")));
  EXPECT_LE(minimal["after"]["genes"], 1) << minimal;
  // The event that it was called for is in the trace, and is the last thing that it was told.
  const json verdict = json::parse(read_text(folder_.file("runs/latest/minimal/verdict.json")));
  EXPECT_GT(verdict["violations"][0]["event"], 0);
  for (const std::string folder : {"runs/latest", "runs/latest/minimal"}) {
    const CommandResult replay = run({"replay", folder});
    EXPECT_EQ(replay.exit_code, 1) << replay.err;
    EXPECT_THAT(replay.out, HasSubstr("identical")) << folder;
  }
  EXPECT_EQ(run({"report", "runs/latest"}).exit_code, 0);
  EXPECT_THAT(read_text(folder_.file("runs/latest/report.html")), HasSubstr(expected.property));
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultyPlugin,
    testing::Values(
        Expected{"throw", "crash", "std::runtime_error",
                 "node 0, on receiving Tick from node 2: throws std::runtime_error: boom"},
        Expected{"segfault", "crash", "segmentation-fault", "node 0, on receiving Tick"},
        Expected{"wait", "hang", "call-without-end", "does not come back"},
        Expected{"flood", "crash", "std::length_error", "sends, or sets timers, without end"},
        Expected{"instant", "hang", "no-time-passes", "node 0, on its timer: 20000 steps"},
        Expected{"memory", "memory", "std::bad_alloc", "limits.memory_bytes"},
        Expected{"to-self", "crash", "std::logic_error", "a node sends to itself"}),
    [](const auto& each) { return "With" + std::to_string(each.index); });

// A loop is as good a hang as a wait, and burns a core for as long as each of its runs lasts.
TEST(HangingPlugin, ABusyLoopIsAHang) {
  if (kSanitized) GTEST_SKIP() << kSanitizedWords;
  WorkFolder folder;
  const CommandResult hunt =
      folder.run({"hunt", kScenario, "--search", "random", "--json", "--no-shrink", "--no-report",
                  "--set", "system.fault=\"loop\"", "--plugin", DISSENSUS_FAULTY_PLUGIN});
  ASSERT_EQ(hunt.exit_code, 1) << hunt.err;
  const json violation = json::parse(hunt.out)["violations"][0];
  EXPECT_EQ(violation["property"], "hang");
  EXPECT_EQ(violation["rule"], "call-without-end");
  const CommandResult replay =
      folder.run({"replay", "runs/latest", "--plugin", DISSENSUS_FAULTY_PLUGIN});
  EXPECT_EQ(replay.exit_code, 1) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("identical"));
}

// A hang must not keep anybody from ending the program.
TEST(HangingPlugin, SigtermIsHeardWithinASecond) {
  if (kSanitized) GTEST_SKIP() << kSanitizedWords;
  WorkFolder folder;
  const CommandResult result =
      folder.run({"-c", "exec timeout --signal=TERM --kill-after=1 1 " + tested_program() +
                            " hunt " + kScenario +
                            " --search random --jobs 2 --plugin " DISSENSUS_FAULTY_PLUGIN
                            " --set 'system.fault=\"wait\"' --set 'limits.call=\"600s\"'"},
                 "sh");
  // --kill-after would have made it 137.
  EXPECT_EQ(result.exit_code, 124) << result.err;
  EXPECT_THAT(result.out, HasSubstr("resume:"));
}

// As timeout(1) sends them: to the program, and to the group that it belongs to.
TEST(HangingPlugin, TwoSignalsInOneMomentAreOneRequest) {
  if (kSanitized) GTEST_SKIP() << kSanitizedWords;
  WorkFolder folder;
  const CommandResult result =
      folder.run({"-c", tested_program() + " hunt " + kScenario +
                            " --search random --jobs 2 --plugin " DISSENSUS_FAULTY_PLUGIN
                            " --set 'system.fault=\"wait\"' --set 'limits.call=\"600s\"' & "
                            "sleep 1; kill $!; sleep 0.01; kill $!; wait $!"},
                 "sh");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out, HasSubstr("resume:"));
}

// Online searches decide in the parent about runs in a worker process, and learn from them.
TEST(ForkedPlugin, OnlineSearchesGiveTheSameHuntInAWorkerAndInTheProgram) {
  if (kSanitized) GTEST_SKIP() << kSanitizedWords;
  std::vector<std::string> hashes;
  for (const std::string forked : {"true", "false"}) {
    WorkFolder folder;
    const CommandResult hunt =
        folder.run({"hunt", kSourceFolder + "/examples/two-phase-commit.toml", "--plugin",
                    DISSENSUS_SYSTEM_EXAMPLE, "--search", "q-learning", "--seed", "6", "--json",
                    "--no-shrink", "--no-report", "--set", "system.forked=" + forked});
    ASSERT_EQ(hunt.exit_code, 1) << hunt.err;
    const json found = json::parse(hunt.out);
    hashes.push_back(found["hash"].get<std::string>() + found["evaluations"].dump());
    EXPECT_EQ(found["stability"]["repeated"], found["stability"]["equal"]);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace dissensus::cli_test
