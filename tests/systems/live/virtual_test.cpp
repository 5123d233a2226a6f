// The verbs on real processes in virtual time: what is true of simulated servers is true of these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

  const CommandResult shrunk =
      folder.run(words_of({"shrink", "runs/latest", "--max-runs", "12", "--seeds", "1"}));
  EXPECT_EQ(shrunk.exit_code, 1) << shrunk.out << shrunk.err;
  EXPECT_THAT(shrunk.out, Not(HasSubstr("simulated"))) << shrunk.out;
  const auto minimal = nlohmann::json::parse(read_text(folder.file("runs/latest/minimal.json")));
  EXPECT_LT(minimal["faults"].size(), 3u) << minimal.dump(1);

  const CommandResult report = folder.run(words_of({"report", "runs/latest", "--no-shrink"}));
  EXPECT_EQ(report.exit_code, 1) << report.out << report.err;
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
  EXPECT_THAT(result.out, HasSubstr("the server of node 1 killed by signal 6 (SIGABRT)"))
      << result.out;
  EXPECT_THAT(read_text(folder.file("runs/latest/servers/threads.txt")),
              HasSubstr("n1 process 0 thread 0: has ended"));
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/servers/0.log")));
}

}  // namespace
}  // namespace dissensus::cli_test
