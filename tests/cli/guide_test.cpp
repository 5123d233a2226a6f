// The guide to a first system tells the truth: its code is the example's, and the example does what
// the guide says.
#include <gmock/gmock.h>

#include "cli/command.h"
#include "cli/markdown.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

const std::string kScenario = kSourceFolder + "/examples/two-phase-commit.toml";

std::string guide() {
  return read_text(kSourceFolder + "/docs/guides/your-first-system.md");
}

TEST(Guide, ItsCodeIsThatOfTheExample) {
  const std::string source = read_text(kSourceFolder + "/examples/two_phase_commit.cpp");
  const std::vector<std::string> blocks = code_blocks(guide(), "cpp");
  EXPECT_GE(blocks.size(), 8u);
  for (const std::string& block : blocks) EXPECT_THAT(source, HasSubstr(block));
}

TEST(Guide, ItsScenarioIsThatOfTheExample) {
  const std::vector<std::string> blocks = code_blocks(guide(), "toml");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_THAT(read_text(kScenario), HasSubstr(blocks[0]));
}

TEST(Guide, TheHuntFindsTheBugAndTheReplayRepeatsIt) {
  const WorkFolder folder;
  const CommandResult hunt = folder.run({"hunt", kScenario}, DISSENSUS_EXAMPLE);
  ASSERT_EQ(hunt.exit_code, 1) << hunt.err;
  EXPECT_THAT(hunt.out, HasSubstr("found a violation after "));
  EXPECT_THAT(hunt.out, HasSubstr("agreement violated: "));
  const CommandResult replay = folder.run({"replay", "runs/latest"}, DISSENSUS_EXAMPLE);
  EXPECT_EQ(replay.exit_code, 1) << replay.err;
  EXPECT_THAT(hunt.out, HasSubstr(replay.out));
  // What the guide shows is what a reader sees, but for the date.
  const std::string text = guide();
  EXPECT_THAT(text, HasSubstr(hunt.out.substr(0, hunt.out.find("written to "))));
  EXPECT_THAT(text, HasSubstr(replay.out));
}

TEST(Guide, ThereIsNoBugWithoutTheMistake) {
  const WorkFolder folder;
  const std::string fixed = folder.write(
      "fixed.toml", replaced(read_text(kScenario), "\ntimeout", "\nfixed = true\ntimeout"));
  const CommandResult result = folder.run({"hunt", fixed}, DISSENSUS_EXAMPLE);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "found nothing after 10000 runs\n");
}

TEST(Guide, AnEditedScheduleIsNoticedByTheReplay) {
  const WorkFolder folder;
  ASSERT_EQ(folder.run({"hunt", kScenario}, DISSENSUS_EXAMPLE).exit_code, 1);
  const fs::path schedule = folder.file("runs/latest/schedule.json");
  write_text(schedule, replaced(read_text(schedule), "\"0>3\": 82", "\"0>3\": 83"));
  EXPECT_EQ(folder.run({"replay", "runs/latest"}, DISSENSUS_EXAMPLE).exit_code, 4);
}

TEST(Guide, BadOptionsOfTheExampleNameFileLineAndKey) {
  const WorkFolder folder;
  folder.write("bad.toml", replaced(read_text(kScenario), "participants = 3", "participant = 3"));
  const CommandResult result = folder.run({"hunt", "bad.toml"}, DISSENSUS_EXAMPLE);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "bad.toml:7: system.participant: unknown key, did you mean 'participants'?\n");
}

}  // namespace
}  // namespace dissensus::cli_test
