// The guide to an own search tells the truth, and plugins that cannot be used are refused clearly.
#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/markdown.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;

std::string guide() {
  return read_text(kSourceFolder + "/docs/guides/your-own-search.md");
}

TEST(OwnSearchGuide, ItsCodeIsThatOfTheExample) {
  const std::string source = read_text(kSourceFolder + "/examples/my_search.cpp");
  const std::vector<std::string> blocks = code_blocks(guide(), "cpp");
  EXPECT_GE(blocks.size(), 7u);
  for (const std::string& block : blocks) EXPECT_THAT(source, HasSubstr(block));
}

// Every command of the guide works as it stands, from the checkout, with the program on the PATH.
TEST(OwnSearchGuide, ItsCommandsWork) {
  const WorkFolder folder;
  fs::create_directory(folder.file("bin"));
  fs::create_symlink(DISSENSUS_BINARY, folder.file("bin/dissensus"));
  for (const char* name : {"scenarios", "include", "examples"}) {
    fs::create_symlink(kSourceFolder + "/" + name, folder.file(name));
  }
  fs::copy_file(DISSENSUS_PLUGIN_EXAMPLE, folder.file("my_search.so"));
  std::size_t hunts = 0;
  for (const std::string& block : code_blocks(guide(), "sh")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      // The build has compiled the example with its own flags (sanitizers, for instance).
      if (line.starts_with("g++")) continue;
      const bool is_hunt = line.starts_with("dissensus hunt");
      const CommandResult result = folder.run({"-c", "PATH=$PWD/bin:$PATH " + line}, "sh");
      EXPECT_EQ(result.exit_code, is_hunt ? 1 : 0) << line << "\n" << result.err << result.out;
      if (!is_hunt) continue;
      ++hunts;
      const CommandResult replay = folder.run({"replay", "runs/latest"});
      EXPECT_EQ(replay.exit_code, 1) << line << "\n" << replay.err;
    }
  }
  EXPECT_EQ(hunts, 5u);
}

TEST(OwnSearchGuide, TheCompilerCommandWorks) {
  const std::string text = guide();
  ASSERT_THAT(text,
              HasSubstr("g++ -std=c++20 -O2 -shared -fPIC -I include examples/my_search.cpp"));
  const WorkFolder folder;
  const CommandResult result = folder.run(
      {"-c",
       fmt::format("cd '{}' && g++ -std=c++20 -fsyntax-only -I include examples/my_search.cpp",
                   kSourceFolder)},
      "sh");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Plugin, IsListed) {
  const WorkFolder folder;
  const std::vector<std::pair<std::string, std::string>> lists{{"searches", "climber"},
                                                               {"fitness", "late-decision"},
                                                               {"schedulers", "newest-first"},
                                                               {"faults", "short-crashes"}};
  for (const auto& [what, name] : lists) {
    const CommandResult result = folder.run({"list", what, "--plugin", DISSENSUS_PLUGIN_EXAMPLE});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(name + "  "));
  }
}

TEST(Plugin, ItsParametersAreChecked) {
  const WorkFolder folder;
  const CommandResult result =
      folder.run({"hunt", kBuggyScenario, "--plugin", DISSENSUS_PLUGIN_EXAMPLE, "--search",
                  "climber", "--parameter", "change=2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("change: unknown key, did you mean 'changes'?"));
}

TEST(Plugin, WhatIsNoPluginIsRefused) {
  const WorkFolder folder;
  folder.write("text.so", "not a library");
  folder.write("none.cpp", "int nothing() { return 0; }\n");
  folder.write("other.cpp",
               "extern \"C\" int dissensus_plugin_interface() { return 99; }\n"
               "extern \"C\" void dissensus_plugin(void*) {}\n");
  for (const std::string name : {"none", "other"}) {
    const CommandResult built =
        folder.run({"-shared", "-fPIC", name + ".cpp", "-o", name + ".so"}, "g++");
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  const std::vector<std::pair<std::string, std::string>> cases{
      {"missing.so", "missing.so: no such plugin file"},
      {"text.so", "text.so: cannot be loaded as a plugin: "},
      {"none.so", "none.so: a shared library but no plugin"},
      {"other.so", "other.so: a plugin for interface 99, this program has interface 3"}};
  for (const auto& [file, expected] : cases) {
    const CommandResult result = folder.run({"hunt", kBuggyScenario, "--plugin", file});
    EXPECT_EQ(result.exit_code, 2) << file;
    EXPECT_THAT(result.err, HasSubstr(expected));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(folder.file("runs")));
  }
  const CommandResult twice = folder.run({"list", "searches", "--plugin", DISSENSUS_PLUGIN_EXAMPLE,
                                          "--plugin", DISSENSUS_PLUGIN_EXAMPLE});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("'climber', but that name is taken"));
}

}  // namespace
}  // namespace dissensus::cli_test
