// The guide that writes a system step by step tells the truth: its code is the example's, and the
// example does what the guide says.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/markdown.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

const std::string kScenario = kSourceFolder + "/examples/two-phase-commit.toml";

std::string guide() {
  return read_text(kSourceFolder + "/docs/guides/two-phase-commit.md");
}

/// The checkout as a reader of the guide has it: program on the PATH, the plugin compiled.
class Guide : public testing::Test {
 protected:
  Guide() {
    fs::create_directory(folder_.file("bin"));
    fs::create_symlink(DISSENSUS_BINARY, folder_.file("bin/dissensus"));
    for (const char* name : {"include", "examples"}) {
      fs::create_symlink(kSourceFolder + "/" + name, folder_.file(name));
    }
    fs::copy_file(DISSENSUS_SYSTEM_EXAMPLE, folder_.file("two_phase_commit.so"));
  }
  CommandResult shell(const std::string& line) const {
    return folder_.run({"-c", "PATH=$PWD/bin:$PATH; " + line}, "sh");
  }
  CommandResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--plugin", "./two_phase_commit.so"});
    return folder_.run(words);
  }

  WorkFolder folder_;
};

/// The lines of a text that name no date, time or folder.
std::vector<std::string> lasting_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const bool passes = line.find("runs/20") != std::string::npos ||
                        line.find(" s;") != std::string::npos || line.find("wall") != line.npos;
    if (!passes && !line.empty()) lines.push_back(line);
  }
  return lines;
}

TEST_F(Guide, ItsCodeIsThatOfTheExample) {
  const std::string source = read_text(kSourceFolder + "/examples/two_phase_commit.cpp");
  const std::vector<std::string> blocks = code_blocks(guide(), "cpp");
  EXPECT_GE(blocks.size(), 8u);
  for (const std::string& block : blocks) EXPECT_THAT(source, HasSubstr(block));
}

TEST_F(Guide, ItsScenarioIsThatOfTheExample) {
  const std::vector<std::string> blocks = code_blocks(guide(), "toml");
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_THAT(read_text(kScenario), HasSubstr(blocks[0]));
}

// What the guide shows is what a reader sees, but for dates, times and folders.
TEST_F(Guide, ItsCommandsDoWhatItShows) {
  std::size_t commands = 0;
  for (const std::string& block : code_blocks(guide(), "console")) {
    ASSERT_TRUE(block.starts_with("$ ")) << block;
    const std::string command = block.substr(2, block.find('\n') - 2);
    const CommandResult result = shell(command);
    // What makes or repeats a failing run says so; what is made of one succeeds.
    const bool fails =
        command.starts_with("dissensus hunt") || command.starts_with("dissensus replay");
    EXPECT_EQ(result.exit_code, fails ? 1 : 0) << command << "\n" << result.err;
    for (const std::string& line : lasting_lines(block.substr(block.find('\n') + 1))) {
      EXPECT_THAT(result.out, HasSubstr(line)) << command;
    }
    ++commands;
  }
  EXPECT_GE(commands, 4u) << "hunt, shrink, report, replay";
}

TEST_F(Guide, TheCompilerCommandWorks) {
  const std::string command =
      "g++ -std=c++20 -O2 -shared -fPIC -I include examples/two_phase_commit.cpp";
  ASSERT_THAT(guide(), HasSubstr(command));
  const CommandResult result =
      shell("g++ -std=c++20 -fsyntax-only -I include examples/two_phase_commit.cpp");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(Guide, ThereIsNoBugWithoutTheMistake) {
  const CommandResult result =
      run({"hunt", kScenario, "--set", "system.fixed=true", "--budget", "2000runs", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["found"], false);
  EXPECT_EQ(json["evaluations"], 2000);
}

TEST_F(Guide, AnEditedScheduleIsNoticedByTheReplay) {
  ASSERT_EQ(run({"hunt", kScenario, "--no-report"}).exit_code, 1);
  const fs::path schedule = folder_.file("runs/latest/schedule.json");
  auto json = nlohmann::json::parse(read_text(schedule));
  for (auto& [kind, delays] : json["delays_ms"].items()) {
    for (auto& [link, delay] : delays.items()) delay = delay.get<int>() / 2;
  }
  write_text(schedule, json.dump());
  const CommandResult replay = run({"replay", "runs/latest"});
  EXPECT_NE(replay.exit_code, 4);
  EXPECT_THAT(replay.err, HasSubstr("the replay differs"));
  EXPECT_THAT(replay.err, HasSubstr("schedule.json is not what was recorded"));
}

TEST_F(Guide, BadOptionsOfTheExampleNameFileLineAndKey) {
  folder_.write("bad.toml", replaced(read_text(kScenario), "participants = 3", "participant = 3"));
  const CommandResult result = run({"hunt", "bad.toml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "dissensus: bad.toml:7: system.participant: unknown key, did you mean "
            "'participants'?\n");
}

}  // namespace
}  // namespace dissensus::cli_test
