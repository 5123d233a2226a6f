// Live runs one can rely on: what goes wrong on the machine costs as little as it can and is called
// by its name, and a finding says which servers it is about.
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

TEST_F(LiveVerbs, AStartThatFailsIsTriedAgain) {
  const WorkFolder folder;
  set("STAND_IN_DIE_ONCE", folder.file("died").string());
  folder.write("live.toml", scenario());
  const CommandResult result = folder.run(words({"run", "live.toml"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("starting the servers again (2 of 3)"));
}

TEST_F(LiveVerbs, OneNetworkThatDoesNotStartCostsNoRun) {
  set("STAND_IN_DIE_AT_START", "1");
  set("STAND_IN_FROM_NETWORK", "2");
  const WorkFolder folder;
  folder.write("live.toml", fast(scenario()));
  const CommandResult result =
      folder.run(words({"campaign", "live.toml", "--runs", "4", "--networks", "2", "--out",
                        "all.sqlite", "--json"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("going on with 1 network"));
  for (const char* const run : {"1-0", "1-1", "1-2", "1-3"}) {
    EXPECT_TRUE(fs::exists(folder.file(fmt::format("all.sqlite.runs/{}.jsonl.gz", run)))) << run;
  }
}

// The first network works once; when its servers are to be started anew, nothing starts any more.
TEST_F(LiveVerbs, WhatWasFinishedStaysWhenNothingStartsAnyMore) {
  set("STAND_IN_DIE_AT_START", "1");
  set("STAND_IN_FROM_NETWORK", "2");
  const WorkFolder folder;
  // Servers that are never fit again after a run.
  folder.write("live.toml",
               replaced(fast(scenario()), "recovery_limit = \"6s\"", "recovery_limit = \"1ms\""));
  const CommandResult result = folder.run(
      words({"campaign", "live.toml", "--runs", "3", "--networks", "1", "--out", "all.sqlite"}));
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 runs"));
  EXPECT_THAT(result.out, HasSubstr("resume: "));
  EXPECT_TRUE(fs::exists(folder.file("all.sqlite.runs/1-0.jsonl.gz")));
}

// The same of a range of seeds: what has been made is there, and what has not is said.
TEST_F(LiveVerbs, RunsOfARangeStayWhenLaterOnesCannotBeMade) {
  set("STAND_IN_DIE_AT_START", "1");
  set("STAND_IN_FROM_NETWORK", "2");
  const WorkFolder folder;
  folder.write("live.toml",
               replaced(fast(scenario()), "recovery_limit = \"6s\"", "recovery_limit = \"1ms\""));
  const CommandResult result =
      folder.run(words({"run", "live.toml", "--seed", "1..9", "--networks", "1"}));
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_EQ(count_of(result.out, "verdict   pass"), 1u);
  EXPECT_THAT(result.err, HasSubstr("dissensus: seed 2: node "));
  EXPECT_THAT(result.err, HasSubstr("dissensus: seed 4: "));
  EXPECT_THAT(result.err, Not(HasSubstr("dissensus: seed 5: "))) << "three in a row are enough";
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/live.json")));
}

TEST_F(LiveVerbs, AViolationIsAnnouncedAtOnceAndConfirmedSideBySide) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  const CommandResult result =
      folder.run(words({"hunt", "live.toml", "--search", "random", "--budget", "4runs", "--confirm",
                        "2", "--networks", "2"}));
  ASSERT_EQ(result.exit_code, 1) << result.out << result.err;
  const std::size_t found = result.err.find("found in run ");
  const std::size_t first = result.err.find("repetition 1 of 2: ");
  const std::size_t second = result.err.find("repetition 2 of 2: ");
  ASSERT_NE(found, std::string::npos) << result.err;
  ASSERT_NE(first, std::string::npos) << result.err;
  ASSERT_NE(second, std::string::npos) << result.err;
  EXPECT_LT(found, first);
  EXPECT_LT(first, second);
  EXPECT_THAT(result.err, HasSubstr("/network-2"));
  // The run beside the failing one has been made: it is kept.
  EXPECT_TRUE(fs::exists(folder.file("runs/latest-hunt/store.sqlite.runs/1-0.jsonl.gz")));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest-hunt/store.sqlite.runs/1-1.jsonl.gz")));

  // The page made later knows as much, and its command can be pasted.
  const CommandResult report = folder.run({"report", "runs/latest"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, AnyOf(HasSubstr("reliable: "), HasSubstr("flaky: ")));
  EXPECT_THAT(report.out, HasSubstr(fmt::format("--rippled {}", STAND_IN_SERVER)));
  const std::string page = read_text(folder.file("runs/latest/report.html"));
  EXPECT_THAT(page, AnyOf(HasSubstr("reliable: "), HasSubstr("flaky: ")));
  EXPECT_THAT(page, HasSubstr("rippled 0.0.0-stand-in"));
  EXPECT_THAT(page, HasSubstr(digest_of(STAND_IN_SERVER)));
  EXPECT_THAT(page, HasSubstr("(99th percentile)"));
  EXPECT_THAT(page, HasSubstr("End of servers/3.log"));
  // Which servers these runs were of stands in the store as well.
  EXPECT_THAT(read_text(folder.file("runs/latest-hunt/store.sqlite")),
              HasSubstr(digest_of(STAND_IN_SERVER)));
}

TEST_F(LiveVerbs, NobodyWaitsForANetworkThatStoodStill) {
  const WorkFolder folder;
  folder.write("live.toml",
               replaced(scenario(), "recovery_limit = \"6s\"", "recovery_limit = \"3s\""));
  folder.write("split.json", kSplit);
  const CommandResult result = folder.run(
      words({"run", "live.toml", "--schedule", "split.json", "--seed", "1..2", "--networks", "1"}));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("no ledger was validated for "));
}

TEST_F(LiveVerbs, AReplayKeepsItsRunWhichNobodyCanRepeat) {
  const WorkFolder folder;
  folder.write("live.toml", fast(scenario()));
  ASSERT_EQ(folder.run(words({"run", "live.toml", "--out", "first"})).exit_code, 0);
  const CommandResult result = folder.run(words({"replay", "first/latest"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("folder    runs/"));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/live.json")));
}

TEST_F(LiveVerbs, EachNodeHasItsBinaryItsTextAndItsAmendments) {
  const WorkFolder folder;
  const std::string old_one = copy_of_server(folder, "1.0", 1);
  const std::string new_one = copy_of_server(folder, "2.0", 2);
  folder.write("live.toml", replaced(fast(scenario()), "clock = \"real\"\n",
                                     fmt::format(R"(clock = "real"
binaries = ["{0}", "{0}", "{0}", "{1}"]
configuration = ["", "[node_size]\nsmall", "", ""]
veto_amendments = [[], [], [], ["1234 Checks"]]
)",
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
    folder.write("live.toml",
                 replaced(scenario(), "clock = \"real\"\n", "clock = \"real\"\n" + line + "\n"));
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
  const CommandResult result = folder.run({"confirm", "runs/latest", "--rippled", old_one,
                                           "--against", new_one, "--runs", "4", "--networks", "2"});
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
  EXPECT_THAT(summary, HasSubstr("late by"));
  for (const auto& entry : fs::recursive_directory_iterator(folder.file("unpacked"))) {
    if (!entry.is_regular_file()) continue;
    // What follows the heading of a secret is not one.
    const std::string text = read_text(entry.path());
    EXPECT_EQ(count_of(text, "_seed]"), count_of(text, "_seed]\n(left out)")) << entry.path();
  }
  // A run that is unpacked is a run.
  EXPECT_EQ(folder.run({"report", "unpacked"}).exit_code, 0);
}

TEST_F(LiveVerbs, WhatAKilledProgramLeftIsRemovedByTheNextOne) {
  const WorkFolder folder;
  folder.write("live.toml", replaced(scenario(), "goal = 8\n", ""));
  EXPECT_EQ(run_and_signal(folder, words({"run", "live.toml"}), SIGKILL, std::chrono::seconds(5)),
            -1);
  ASSERT_TRUE(fs::exists(folder.file("runs/servers")));
  // Kept on purpose, for whoever wants to read its logs.
  const fs::path kept = folder.file("runs/servers/2026-01-01T00-00-00-4194304/network-1");
  fs::create_directories(kept);
  write_text(kept / "kept", "");
  folder.write("next.toml", fast(scenario()));
  const CommandResult result = folder.run(words({"run", "next.toml"}));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("removed what 1 killed program had left"));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.file("runs/servers"))) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(left, testing::ElementsAre("2026-01-01T00-00-00-4194304"));
}

// Whoever reads a pipe sees each run when it is over.
TEST_F(LiveVerbs, PipedOutputComesRunByRun) {
  const WorkFolder folder;
  folder.write("live.toml", fast(scenario()));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.file("").c_str()) != 0) _exit(127);
    dup2(ends[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_RDWR), STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    const std::string program = tested_program();
    execl(program.c_str(), program.c_str(), "run", "live.toml", "--seed", "1..3", "--networks", "1",
          "--rippled", STAND_IN_SERVER, nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while (text.find("replay    ") == std::string::npos &&
         (count = read(ends[0], buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  EXPECT_THAT(text, HasSubstr("verdict   pass"));
  EXPECT_EQ(count_of(text, "verdict   "), 1u);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the program has ended already";
  while ((count = read(ends[0], buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(count_of(text, "verdict   "), 3u);
}

}  // namespace
}  // namespace dissensus::cli_test
