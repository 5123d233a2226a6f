// The table of exit codes in README.md, verb by verb.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using ::testing::HasSubstr;

/// No file may grow beyond a few blocks: what a full disk looks like to the program.
CommandResult run_on_full_disk(const WorkFolder& folder, const std::string& words) {
  return folder.run({"-c", "trap '' XFSZ; ulimit -f 4; exec " + tested_program() + " " + words},
                    "/bin/sh");
}

TEST(ExitCodes, AFullDiskIsTroubleOfTheEnvironment) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  const std::string scenario = kBuggyScenario;
  for (const std::string& words : std::vector<std::string>{
           "run " + scenario + " --trace everything --seed 1", "hunt " + scenario + " --jobs 1",
           "campaign " + scenario + " --runs 2000 --out full.sqlite", "report runs/latest",
           "shrink " + scenario + " --schedule runs/latest/schedule.json",
           "export runs/latest --to json -o full.json", "replay runs/latest --out again"}) {
    const CommandResult result = run_on_full_disk(folder, words);
    EXPECT_EQ(result.exit_code, 5) << words << "\n" << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr("dissensus: ")) << words;
  }
}

TEST(ExitCodes, AFullStandardOutputIsTroubleOfTheEnvironment) {
  const WorkFolder folder;
  for (const std::string words : {"list scenarios", "list systems --json", "--help",
                                  "check scenarios/majority/overtaken-commit.toml"}) {
    const CommandResult result = folder.run(
        {"-c", "cd " DISSENSUS_SOURCE_DIR "; " + tested_program() + " " + words + " > /dev/full"},
        "/bin/sh");
    EXPECT_EQ(result.exit_code, 5) << words << "\n" << result.err;
  }
}

TEST(ExitCodes, WhatWasMadeIsDone) {
  const WorkFolder folder;
  ASSERT_EQ(record_failing_run(folder).exit_code, 1);
  EXPECT_EQ(folder.run({"report", "runs/latest", "--no-shrink"}).exit_code, 0);
  EXPECT_EQ(folder.run({"shrink", "runs/latest"}).exit_code, 0);
  EXPECT_EQ(folder.run({"replay", "runs/latest"}).exit_code, 1) << "it is judged again";
}

TEST(ExitCodes, ANumberThatDoesNotFitIsRefused) {
  const WorkFolder folder;
  const std::string large = "99999999999999999999999";
  const std::string negative = "-99999999999999999999999";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"hunt", kBuggyScenario, "--seed", large},
        {"campaign", kBuggyScenario, "--seed", large},
        {"shrink", kBuggyScenario, "--seed", large},
        {"run", kBuggyScenario, "--seed", large},
        {"hunt", kBuggyScenario, "--seed", "18446744073709551616"},
        {"hunt", kBuggyScenario, "--jobs", large},
        {"hunt", kBuggyScenario, "--seed", negative}}) {
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2) << words[0] << ' ' << words[2] << "\n" << result.out;
    EXPECT_THAT(result.err, HasSubstr(words[2])) << words[0];
  }
}

TEST(ExitCodes, AMistakeInASettingIsTheSettings) {
  const WorkFolder folder;
  const auto error = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words{"check", kBuggyScenario};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    const CommandResult result = folder.run(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({"system.nodes=-1"}),
              ::testing::StartsWith("dissensus: --set system.nodes=-1: "));
  EXPECT_THAT(error({"limits.events=7", "system.nosuch=1", "limits.queue=8"}),
              ::testing::StartsWith("dissensus: --set system.nosuch=1: "));
  EXPECT_THAT(error({"system.nodes=-1"}), ::testing::Not(HasSubstr(".toml:")));
}

TEST(ExitCodes, AProgramThatDoesNotBeginIsNoFinding) {
  const WorkFolder folder;
  const auto scenario = [&](const std::string& command) {
    return folder.write(
        "node.toml",
        "format = \"dissensus-scenario/1\"\nname = \"node\"\n[system]\nkind = "
        "\"process\"\nnodes = 2\ncommand = " +
            command +
            "\n[schedule]\ntype = \"delay\"\nmax_delay = \"1s\"\n[limits]\nvirtual_time = "
            "\"1s\"\n");
  };
  const CommandResult raised =
      folder.run({"hunt", scenario("[\"python3\", \"-c\", \"raise ValueError('no table')\"]")});
  EXPECT_EQ(raised.exit_code, 5) << raised.out;
  EXPECT_THAT(raised.err, HasSubstr("ValueError: no table"));
  EXPECT_FALSE(fs::exists(folder.file("runs"))) << "no folder for what was not begun";
  const CommandResult missing = folder.run({"hunt", scenario("[\"/no/such/program\"]")});
  EXPECT_EQ(missing.exit_code, 2) << missing.out;
  const CommandResult checked = folder.run({"check", "node.toml"});
  EXPECT_EQ(checked.exit_code, 2) << checked.out;
  EXPECT_THAT(checked.err,
              HasSubstr("node.toml: system.command: /no/such/program: no such program"));
}

}  // namespace
}  // namespace dissensus::cli_test
