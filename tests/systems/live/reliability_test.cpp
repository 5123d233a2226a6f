// Findings of servers say which servers they are about, and what those were told.
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "systems/live/live_verbs.h"

namespace dissensus::cli_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Every run passes.
std::string fast(std::string text) {
  return replaced(std::move(text), "max_delay = \"4s\"", "max_delay = \"1ms\"");
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A copy of the stand-in that says it is of this version; `number` makes it another file.
std::string copy_of_server(const WorkFolder& folder, const std::string& version, int number) {
  const fs::path path = folder.file("server@" + version);
  fs::copy_file(STAND_IN_SERVER, path);
  std::ofstream(path, std::ios::app | std::ios::binary) << number;  // behind the end of the program
  return path.string();
}

std::string digest_of(const std::string& path) {
  const WorkFolder folder;
  return folder.run({path}, "sha256sum").out.substr(0, 64);
}

TEST_F(LiveVerbs, EachNodeHasItsBinaryItsTextAndItsAmendments) {
  const WorkFolder folder;
  const std::string old_one = copy_of_server(folder, "1.0", 1);
  const std::string new_one = copy_of_server(folder, "2.0", 2);
  folder.write("live.toml", replaced(fast(scenario()), "start_limit",
                                     fmt::format(R"(binaries = ["{0}", "{0}", "{0}", "{1}"]
configuration = ["", "[node_size]\nsmall", "", ""]
veto_amendments = [[], [], [], ["1234 Checks"]]
start_limit)",
                                                 old_one, new_one)));
  const CommandResult result = folder.run({"run", "live.toml"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const fs::path run = folder.file("runs/latest");
  const auto binaries = nlohmann::json::parse(read_text(run / "live.json"))["binaries"];
  ASSERT_EQ(binaries.size(), 2u) << binaries.dump(1);
  EXPECT_EQ(binaries[0]["version"], "1.0");
  EXPECT_EQ(binaries[0]["sha256"], digest_of(old_one));
  EXPECT_EQ(binaries[0]["nodes"], nlohmann::json({0, 1, 2}));
  EXPECT_EQ(binaries[1]["version"], "2.0");
  EXPECT_EQ(binaries[1]["sha256"], digest_of(new_one));
  EXPECT_THAT(read_text(run / "servers/0.cfg"), HasSubstr("[node_size]\ntiny\n"));
  const std::string second = read_text(run / "servers/1.cfg");
  EXPECT_THAT(second, HasSubstr("[node_size]\nsmall\n"));
  EXPECT_EQ(count_of(second, "[node_size]"), 1u);
  EXPECT_THAT(read_text(run / "servers/3.cfg"), HasSubstr("[veto_amendments]\n1234 Checks\n"));
  EXPECT_THAT(second, HasSubstr("[validation_seed]\n(left out)\n"));
}

TEST_F(LiveVerbs, TextThatWouldBreakANetworkIsRefused) {
  const WorkFolder folder;
  const auto with = [&](const std::string& line) {
    folder.write("live.toml", replaced(scenario(), "start_limit", line + "\nstart_limit"));
    return folder.run(words({"run", "live.toml"}));
  };
  for (const auto& [line, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"(configuration = "[port_peer]\nport = 1")", "[port_peer]: this section is written"},
           {R"(configuration = "[validation_seed]\nx")", "[validation_seed]: keys are made"},
           {R"(configuration = "node_size = 3")", "expected sections"},
           {R"(configuration = ["", ""])", "2 entries for 4 nodes"},
           {R"(amendments = [["a"]])", "1 entries for 4 nodes"}}) {
    const CommandResult result = with(line);
    EXPECT_EQ(result.exit_code, 2) << line << result.err;
    EXPECT_THAT(result.err, HasSubstr(expected)) << line;
    EXPECT_THAT(result.err, HasSubstr("live.toml:12: system.servers.")) << line;
  }
}

// A quorum of three of four goes on without the crashed server, one of four does not.
TEST_F(LiveVerbs, TwoBinariesAreComparedOnTheSameSchedules) {
  const WorkFolder folder;
  const std::string old_one = copy_of_server(folder, "1.0", 1);
  const std::string new_one = copy_of_server(folder, "2.0", 2);
  set("STAND_IN_VERSION", "2.0");
  set("STAND_IN_QUORUM", "3");
  folder.write("live.toml", scenario());
  folder.write("crash.json", R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "crash", "node": 3, "at": "200ms"}]})");
  ASSERT_EQ(
      folder.run({"run", "live.toml", "--schedule", "crash.json", "--rippled", old_one}).exit_code,
      1);
  const CommandResult result = folder.run(
      {"confirm", "runs/latest", "--rippled", old_one, "--against", new_one, "--runs", "4"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 of 4 runs"));
  EXPECT_THAT(result.out, HasSubstr("0 of 4 runs"));
  EXPECT_THAT(result.out, HasSubstr("p = 0.029"));
  EXPECT_THAT(result.out, HasSubstr("B against A: fails less often"));
  EXPECT_THAT(result.out, HasSubstr(digest_of(new_one).substr(0, 12)));
  const CommandResult same = folder.run(
      {"confirm", "runs/latest", "--rippled", old_one, "--against", old_one, "--runs", "1"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("--against: both are "));
}

TEST_F(LiveVerbs, ABundleHasEverythingButSecrets) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  folder.write("split.json", kSplit);
  ASSERT_EQ(folder.run(words({"run", "live.toml", "--schedule", "split.json"})).exit_code, 1);
  const CommandResult result = folder.run({"bundle", "runs/latest", "-o", "bug.tar.gz"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  fs::create_directory(folder.file("unpacked"));
  const CommandResult unpacked =
      folder.run({"xzf", "bug.tar.gz", "-C", "unpacked", "--strip-components=1"}, "tar");
  ASSERT_EQ(unpacked.exit_code, 0) << unpacked.err;
  for (const char* const name :
       {"BUNDLE.md", "scenario.toml", "schedule.json", "trace.jsonl.gz", "verdict.json",
        "live.json", "servers/0.log", "servers/3.log", "servers/0.cfg", "servers/3.cfg"}) {
    EXPECT_TRUE(fs::exists(folder.file("unpacked") / name)) << name;
  }
  const std::string summary = read_text(folder.file("unpacked/BUNDLE.md"));
  EXPECT_THAT(summary, HasSubstr("decided no ledger"));
  EXPECT_THAT(summary, HasSubstr(digest_of(STAND_IN_SERVER)));
  for (const auto& entry : fs::recursive_directory_iterator(folder.file("unpacked"))) {
    if (!entry.is_regular_file()) continue;
    // What follows the heading of a secret is not one.
    const std::string text = read_text(entry.path());
    EXPECT_EQ(count_of(text, "_seed]"), count_of(text, "_seed]\n(left out)")) << entry.path();
  }
  // A run that is unpacked is a run.
  const CommandResult replay = folder.run(words({"replay", "unpacked"}));
  EXPECT_THAT(replay.out, HasSubstr("identical to the recorded run")) << replay.err;
}

}  // namespace
}  // namespace dissensus::cli_test
