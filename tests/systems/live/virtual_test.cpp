// The verbs on real processes in virtual time: what is true of simulated servers is true of these.
#include <chrono>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

namespace dissensus::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Stand-ins close a ledger about every half second of their time.
std::string virtual_scenario(const std::string& servers = "", const std::string& goal = "8") {
  return R"(format = "dissensus-scenario/1"
name = "virtual-test"

[system]
kind = "rippled"
nodes = 4
reserve = "10"
accounts = { alice = "400", bob = "300" }

[system.servers]
clock = "virtual"
environment = ["STAND_IN_TICK_MS=40")" +
         servers + R"(]
start_limit = "60s"
pause_max = "1s"

[[workload]]
at = "100ms"
node = 0
from = "alice"
to = "bob"
amount = 50

[network]
latency = "1ms"
order = "any"

[schedule]
type = "delay"
max_delay = "4s"

[oracle.termination]
level = "ledger"
goal = )" +
         goal + R"(
bound = "4s"

[limits]
virtual_time = "30s"
)";
}

std::vector<std::string> words_of(std::vector<std::string> first,
                                  const std::vector<std::string>& more = {}) {
  first.insert(first.end(), {"--rippled", STAND_IN_SERVER});
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The lines of host.txt that have to be equal: calls, messages, steps.
std::string host_hashes(const WorkFolder& folder) {
  const std::string text = read_text(folder.file("runs/latest/host.txt"));
  EXPECT_THAT(text, HasSubstr("nothing is known against repeatability")) << text;
  return text.substr(0, text.find("wall"));
}

std::string trace_hash(const std::string& output) {
  const std::size_t at = output.find("hash ");
  return at == output.npos ? "none" : output.substr(at, output.find('\n', at) - at);
}

TEST(VirtualVerbs, EqualSeedsGiveEqualRunsCallByCallAndByteByByte) {
  const WorkFolder folder;
  folder.write("live.toml", virtual_scenario());
  std::string last;
  for (const char* const seed : {"1", "2"}) {
    const auto command = words_of({"run", "live.toml", "--random-schedule", "--seed", seed});
    const CommandResult first = folder.run(command);
    EXPECT_NE(first.exit_code, 2) << first.out << first.err;
    const std::string calls = host_hashes(folder);
    const CommandResult second = folder.run(command);
    EXPECT_EQ(trace_hash(first.out), trace_hash(second.out));
    EXPECT_EQ(calls, host_hashes(folder));
    EXPECT_NE(trace_hash(first.out), last);
    last = trace_hash(first.out);
  }
  EXPECT_NE(last, "none");
}

constexpr std::string_view kSplitAndMore =
    R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "partition", "groups": [[0, 1], [2, 3]], "from": "0s"},
             {"type": "partition", "groups": [[0], [1]], "from": "1s", "until": "2s"},
             {"type": "crash", "node": 3, "at": "2500ms", "restart_after": "500ms"}]})";

TEST(VirtualVerbs, AFindingIsReplayedExactlyAndShrunkOnTheServersThemselves) {
  const WorkFolder folder;
  folder.write("live.toml", virtual_scenario());
  folder.write("split.json", std::string(kSplitAndMore));
  const CommandResult result =
      folder.run(words_of({"run", "live.toml", "--schedule", "split.json"}));
  ASSERT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("termination  fail"));
  EXPECT_THAT(result.out, HasSubstr("of virtual time"));

  const CommandResult replay = folder.run(words_of({"replay", "runs/latest"}));
  EXPECT_EQ(replay.exit_code, 1) << replay.out << replay.err;
  EXPECT_EQ(trace_hash(result.out), trace_hash(replay.out));
  EXPECT_THAT(replay.out, HasSubstr("repeatable: every system call and every byte"));

  const CommandResult shrunk =
      folder.run(words_of({"shrink", "runs/latest", "--max-runs", "12", "--seeds", "1"}));
  EXPECT_EQ(shrunk.exit_code, 0) << shrunk.out << shrunk.err;
  EXPECT_THAT(shrunk.out, Not(HasSubstr("simulated"))) << shrunk.out;
  const auto minimal = nlohmann::json::parse(read_text(folder.file("runs/latest/minimal.json")));
  EXPECT_LT(minimal["faults"].size(), 3u) << minimal.dump(1);

  const CommandResult report = folder.run(words_of({"report", "runs/latest", "--no-shrink"}));
  EXPECT_EQ(report.exit_code, 0) << report.out << report.err;
  EXPECT_THAT(read_text(folder.file("runs/latest/report.html")), HasSubstr("termination"));
}

TEST(VirtualVerbs, AHuntFindsWhatAReplayShowsAgain) {
  const WorkFolder folder;
  folder.write("live.toml", virtual_scenario());
  const CommandResult result =
      folder.run(words_of({"hunt", "live.toml", "--search", "random", "--budget", "6runs", "--jobs",
                           "2", "--no-shrink"}));
  ASSERT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("found a violation"));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/report.html")));
  const CommandResult replay = folder.run(words_of({"replay", "runs/latest"}));
  EXPECT_EQ(replay.exit_code, 1) << replay.out << replay.err;
  EXPECT_EQ(trace_hash(result.out), trace_hash(replay.out));
}

TEST(VirtualVerbs, AServerThatDiesByItselfIsAFinding) {
  const WorkFolder folder;
  folder.write("live.toml",
               virtual_scenario(", \"STAND_IN_DIE_AFTER_MS=4000\", \"STAND_IN_NODE=1\"", "1000"));
  const CommandResult result = folder.run(words_of({"run", "live.toml"}));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ended by crash")) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the server of node 1 killed by signal 6 (Aborted)"))
      << result.out;
  EXPECT_THAT(read_text(folder.file("runs/latest/servers/threads.txt")),
              HasSubstr("n1 process 0 thread 0: has ended"));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/servers/0.log")));
}

// A run that does not come back says where it left the recorded one, and what speaks against both.
TEST(VirtualVerbs, AReplayNamesTheFirstCallThatDiffersAndAllDoubts) {
  const WorkFolder folder;
  folder.write("live.toml", virtual_scenario());
  ASSERT_EQ(folder.run(words_of({"run", "live.toml"})).exit_code, 0);
  const fs::path run = fs::canonical(folder.file("runs/latest"));
  const std::string report = read_text(run / "host.txt");
  write_text(run / "host.txt", replaced(report, "nothing is known against repeatability\n",
                                        "virtual time, not proven repeatable:\n  a doubt\n"));

  // The journal of another seed in the place of this run's: events of this run, calls of another.
  ASSERT_EQ(folder.run(words_of({"run", "live.toml", "--seed", "2"})).exit_code, 0);
  write_text(run / "host.journal", read_text(folder.file("runs/latest/host.journal")));
  const CommandResult doubted = folder.run(words_of({"replay", run.string()}));
  EXPECT_EQ(doubted.exit_code, 0) << doubted.err;
  EXPECT_THAT(doubted.out, HasSubstr("not proven repeatable: the recorded run: a doubt"));
  EXPECT_THAT(doubted.out, Not(HasSubstr("every system call")));
  EXPECT_THAT(doubted.out, testing::ContainsRegex(
                               "the runs part at step [0-9]+: program [0-9]+ process [0-9]+ thread "
                               "[0-9]+: [a-z_0-9]+ at [0-9.]+ s; the other run: program"));
  EXPECT_THAT(doubted.out, HasSubstr("but not all that the programs did"));
  EXPECT_THAT(doubted.out, Not(HasSubstr("identical to the recorded run")));

  // Its events, too.
  write_text(run / "run.json", read_text(folder.file("runs/latest/run.json")));
  write_text(run / "trace.jsonl.gz", read_text(folder.file("runs/latest/trace.jsonl.gz")));
  write_text(run / "run.json", replaced(read_text(run / "run.json"), "\"seed\": 2", "\"seed\": 1"));
  const CommandResult other = folder.run(words_of({"replay", run.string()}));
  EXPECT_THAT(other.err, HasSubstr("the replay differs"));
  EXPECT_THAT(other.out, HasSubstr("not the recorded run"));

  write_text(run / "host.journal", "dissensus-journal/1\nx");
  const CommandResult cut = folder.run(words_of({"replay", run.string()}));
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("host.journal: not a journal of a run, or cut off"));
}

std::string copy_of_stand_in(const WorkFolder& folder, const std::string& version) {
  const std::string path = folder.file("server@" + version).string();
  fs::copy_file(STAND_IN_SERVER, path);
  return path;
}

std::string with_binaries(const std::string& lines) {
  return replaced(virtual_scenario(), "start_limit", lines + "start_limit");
}

TEST(VirtualVerbs, MixedNetworksAndUpgradesInTheMiddleOfARun) {
  const WorkFolder folder;
  const std::string old = copy_of_stand_in(folder, "0.1.0");
  const std::string newer = copy_of_stand_in(folder, "0.2.0");
  folder.write("mixed.toml", with_binaries(fmt::format(
                                 "binaries = [\"{0}\", \"{0}\", \"{1}\", \"{0}\"]\n"
                                 "restart_binaries = [\"{1}\", \"{1}\", \"{1}\", \"{1}\"]\n",
                                 old, newer)));
  folder.write("upgrade.json",
               R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "crash", "node": 3, "at": "300ms", "restart_after": "200ms"}]})");
  const CommandResult result = folder.run({"run", "mixed.toml", "--schedule", "upgrade.json"});
  ASSERT_THAT(result.exit_code, testing::AnyOf(0, 1)) << result.out << result.err;
  const auto live = nlohmann::json::parse(read_text(folder.file("runs/latest/live.json")));
  EXPECT_EQ(live["rippled"], "0.1.0, 0.2.0");
  // Of its own binary a server logs the version when it starts, which is before the run.
  EXPECT_THAT(read_text(folder.file("runs/latest/servers/3.log")), HasSubstr("version 0.2.0"));
  EXPECT_THAT(read_text(folder.file("runs/latest/servers/2.log")), Not(HasSubstr("version")));
  const CommandResult replay = folder.run({"replay", "runs/latest"});
  EXPECT_EQ(replay.exit_code, result.exit_code) << replay.out << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("repeatable: every system call"));
}

TEST(VirtualVerbs, BinariesThatAreNoneAreNamed) {
  const WorkFolder folder;
  const auto error_of = [&](const std::string& lines) {
    folder.write("live.toml", with_binaries(lines));
    const CommandResult result = folder.run(words_of({"run", "live.toml"}));
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  const std::string good = STAND_IN_SERVER;
  EXPECT_THAT(error_of("binaries = [\"a\", \"b\"]\n"),
              HasSubstr("2 binaries for 4 nodes, expected one for each"));
  EXPECT_THAT(
      error_of(fmt::format("binaries = [\"{0}\", \"{0}\", \"rippled-9.9\", \"{0}\"]\n", good)),
      HasSubstr("system.servers.binaries[2]: rippled-9.9: not found on PATH"));
  EXPECT_THAT(
      error_of(fmt::format("restart_binaries = [\"{0}\", \"/no/such\", \"{0}\", \"{0}\"]\n", good)),
      HasSubstr("system.servers.restart_binaries[1]: /no/such: no such file"));
  EXPECT_THAT(
      error_of(fmt::format("binaries = [\"{0}\", \"{0}\", \"/bin/true\", \"{0}\"]\n", good)),
      HasSubstr("/bin/true: not a rippled"));
}

std::vector<pid_t> descendants_of(pid_t parent) {
  std::vector<pid_t> result;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
  for (pid_t child = 0; file >> child;) {
    result.push_back(child);
    for (const pid_t more : descendants_of(child)) result.push_back(more);
  }
  return result;
}

/// Server 1 dies some time after it was started, which a run with a start of its own never sees.
std::string session_scenario() {
  return virtual_scenario(", \"STAND_IN_DIE_AFTER_MS=24000\", \"STAND_IN_NODE=1\"") +
         "\n[session]\nruns_per_start = 16\n";
}

TEST(VirtualVerbs, WhatServersHadBeenThroughBeforeIsAPartOfAFinding) {
  const WorkFolder folder;
  folder.write("live.toml", session_scenario());
  const auto command =
      words_of({"hunt", "live.toml", "--search", "random", "--budget", "12runs", "--set",
                "schedule.max_delay=\"20ms\"", "--no-shrink", "--no-report"});
  const CommandResult result = folder.run(command);
  ASSERT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("the server of node 1 killed by signal 6 (Aborted)"));
  const std::string scenario = read_text(folder.file("runs/latest/scenario.toml"));
  EXPECT_THAT(scenario, HasSubstr("[[session.earlier]]"));

  const CommandResult replay = folder.run(words_of({"replay", "runs/latest"}));
  EXPECT_EQ(replay.exit_code, 1) << replay.out << replay.err;
  EXPECT_EQ(trace_hash(result.out), trace_hash(replay.out));
  EXPECT_THAT(replay.out, HasSubstr("repeatable: every system call and every byte"));

  // Its own schedule alone is another run, and passes.
  const auto run = nlohmann::json::parse(read_text(folder.file("runs/latest/run.json")));
  fs::copy(folder.file("runs/latest/schedule.json"), folder.file("schedule.json"));
  const CommandResult alone =
      folder.run(words_of({"run", "live.toml", "--schedule", "schedule.json", "--seed",
                           std::to_string(run["seed"].get<std::uint64_t>())}));
  EXPECT_EQ(alone.exit_code, 0) << alone.out << alone.err;
  EXPECT_NE(trace_hash(alone.out), trace_hash(result.out));
}

TEST(VirtualVerbs, SessionsAreRefusedWhereTheirHistoryWouldBeLost) {
  const WorkFolder folder;
  folder.write("live.toml", session_scenario());
  const CommandResult campaign = folder.run(words_of({"campaign", "live.toml", "--runs", "2"}));
  EXPECT_EQ(campaign.exit_code, 2);
  EXPECT_THAT(campaign.err, HasSubstr("live.toml: session.runs_per_start: "));
  const CommandResult resumed =
      folder.run(words_of({"hunt", "live.toml", "--resume", "--out", "nowhere"}));
  EXPECT_EQ(resumed.exit_code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("session.runs_per_start: "));
  const CommandResult many = folder.run(
      words_of({"run", "live.toml", "--set", "session.earlier=[{seed=1,schedule=\"{}\"}]"}));
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.err, HasSubstr("--set session.earlier"));
}

// What was reached is kept, and nothing waits for servers that were stopped as well.
TEST(VirtualVerbs, ShrinkingEndsWhenAllItsProcessesAreAskedTo) {
  const WorkFolder folder;
  folder.write("live.toml", virtual_scenario());
  folder.write("split.json", std::string(kSplitAndMore));
  ASSERT_EQ(folder.run(words_of({"run", "live.toml", "--schedule", "split.json"})).exit_code, 1);
  const std::vector<std::string> words =
      words_of({"shrink", "runs/latest", "--seeds", "1000", "--jobs", "1"});
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> arguments{const_cast<char*>(DISSENSUS_BINARY)};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (chdir(folder.file("").c_str()) == 0) execv(DISSENSUS_BINARY, arguments.data());
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::seconds(6));
  kill(child, SIGTERM);
  for (const pid_t more : descendants_of(child)) kill(more, SIGTERM);
  int status = 0;
  pid_t ended = 0;
  for (int tries = 0; tries < 300 && ended == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) kill(child, SIGKILL);
  ASSERT_EQ(ended, child) << "it hangs";
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_NE(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace dissensus::cli_test
