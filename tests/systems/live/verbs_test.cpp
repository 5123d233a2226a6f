// The verbs on programs: networks of stand-in servers behind the interceptor, as a person would run
// rippled.
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "systems/live/live_verbs.h"

namespace dissensus::cli_test {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(LiveVerbs, ARunWithoutDelaysPassesAndIsRecordedAsAnyOther) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  const CommandResult result = folder.run(words({"run", "live.toml"}));
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ended by goal"));
  const fs::path run = fs::canonical(folder.file("runs/latest"));
  const std::string recorded = run.string();
  for (const char* const name : {"trace.jsonl.gz", "verdict.json", "metrics.json", "diagram.svg",
                                 "live.json", "servers/0.log", "servers/3.log"}) {
    EXPECT_TRUE(fs::exists(run / name)) << name;
  }
  const auto live = nlohmann::json::parse(read_text(run / "live.json"));
  EXPECT_GT(live["frames_written"], 50);
  EXPECT_EQ(live["links_lost"], 0);
  const auto metrics = nlohmann::json::parse(read_text(run / "metrics.json"));
  EXPECT_GT(metrics["messages"]["by_kind"]["Validation"]["sent"], 0) << metrics.dump(1);

  // Schedules of real servers are schedules of simulated ones.
  folder.write("twin.toml", replaced(replaced(scenario(), "rippled\"", "xrpl\""),
                                     "[system.servers]\n" + server_keys() + "\n", ""));
  EXPECT_EQ(folder.run({"run", "twin.toml", "--schedule", "runs/latest/schedule.json"}).exit_code,
            0);

  // The same schedule with simulated servers is one command.
  const CommandResult twin = folder.run({"replay", recorded, "--simulated"});
  EXPECT_EQ(twin.exit_code, 0) << twin.out << twin.err;
  EXPECT_THAT(twin.out, HasSubstr("(xrpl, 4 nodes)"));
  EXPECT_THAT(twin.out, HasSubstr("with simulated servers"));
}

TEST_F(LiveVerbs, ASplitNetworkFailsTermination) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  folder.write("split.json", kSplit);
  const CommandResult result = folder.run(words({"run", "live.toml", "--schedule", "split.json"}));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("termination  fail"));
}

TEST_F(LiveVerbs, ACrashedServerComesBack) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  folder.write("crash.json", R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "crash", "node": 3, "at": "500ms", "restart_after": "1s"}]})");
  const CommandResult result = folder.run(words({"run", "live.toml", "--schedule", "crash.json"}));
  // Whether the toy catches up is its affair; the verdict must be about it, not about a breakdown.
  EXPECT_THAT(result.exit_code, AnyOf(Eq(0), Eq(1))) << result.out << result.err;
  const std::string log = read_text(folder.file("runs/latest/nodes/3.log"));
  EXPECT_THAT(log, HasSubstr("the server is started again"));
}

TEST_F(LiveVerbs, WhatIsNoServerIsRefusedInOneLine) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  for (const std::string program : {"/bin/ls", "/no/such/program", "/etc/passwd"}) {
    const CommandResult result = folder.run({"run", "live.toml", "--rippled", program});
    EXPECT_EQ(result.exit_code, 2) << program;
    EXPECT_THAT(result.err, HasSubstr("dissensus: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr(program)) << result.err;
  }
  EXPECT_EQ(folder.run({"hunt", "live.toml", "--rippled", "/bin/ls"}).exit_code, 2);
}

TEST_F(LiveVerbs, AServerThatDiesAtTheStartEndsTheCommand) {
  set("STAND_IN_DIE_AT_START", "1");
  set("STAND_IN_NODE", "2");
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  const CommandResult result = folder.run(words({"run", "live.toml"}));
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("node 2")) << result.err;
  EXPECT_EQ(stand_ins_running(), 0u);
}

TEST_F(LiveVerbs, AServerThatDiesInARunIsAFinding) {
  set("STAND_IN_DIE_AFTER_MS", "12000");
  set("STAND_IN_NODE", "1");
  const WorkFolder folder;
  // Without a goal the run goes on until the server dies.
  folder.write("live.toml", replaced(scenario(), "goal = 8\n", ""));
  const CommandResult result = folder.run(words({"run", "live.toml"}));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ended by crash")) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the server of node 1")) << result.out;
  EXPECT_TRUE(fs::exists(folder.file("runs/latest/trace.jsonl.gz")));
  EXPECT_EQ(stand_ins_running(), 0u);
}

TEST_F(LiveVerbs, SchedulesThatOnlySimulatedNodesCanFollowAreRefused) {
  const WorkFolder folder;
  folder.write("live.toml", scenario());
  folder.write("twins.json", R"({"format": "dissensus-schedule/1", "system": "rippled", "nodes": 4,
  "faults": [{"type": "twins", "node": 0, "first": [1], "second": [2, 3]}]})");
  const CommandResult result = folder.run(words({"run", "live.toml", "--schedule", "twins.json"}));
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("twins"));
}

TEST_F(LiveVerbs, KeysOfTheSimulatorAreRefused) {
  const WorkFolder folder;
  folder.write("live.toml", replaced(scenario(), "nodes = 4\n", "nodes = 4\nbugs = [\"B1\"]\n"));
  const CommandResult result = folder.run(words({"run", "live.toml"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("live.toml:7: system.bugs: ")) << result.err;
}

TEST_F(LiveVerbs, NoServerSurvivesTheDeathOfTheProgram) {
  const WorkFolder folder;
  folder.write("live.toml", replaced(scenario(), "goal = 8\n", ""));
  EXPECT_EQ(run_and_signal(folder, words({"run", "live.toml"}), SIGKILL, std::chrono::seconds(1)),
            -1);
  for (int i = 0; i < 50 && stand_ins_running() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(stand_ins_running(), 0u);
}

}  // namespace
}  // namespace dissensus::cli_test
