// ovsdb-server as its users run it: clients that check what they are told, a monitor that falls
// silent, and a server that dies when it is asked to compact its log (docs/results/ovsdb.md).
#include <cstdint>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/toml_text.h"
#include "run/runner.h"
#include "run/scenario_file.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

using ::testing::HasSubstr;

const std::string kOvsdbFolder = DISSENSUS_SOURCE_DIR "/scenarios/ovsdb/";

run::RunResult run_ovsdb(const run::Scenario& scenario, const faults::Schedule& schedule,
                         std::uint64_t seed) {
  run::Runner runner;
  run::RunOptions options;
  options.log = true;
  return runner.run(scenario, schedule, seed, options);
}

std::string said(const run::RunResult& result, const std::string& name) {
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == name) return file.text;
  }
  return {};
}

class Ovsdb : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/sbin/ovsdb-server")) {
      GTEST_SKIP() << "ovsdb-server is not installed: scripts/setup servers";
    }
    if (!std::filesystem::exists("/usr/bin/python3")) {
      GTEST_SKIP() << "python3 is not installed: scripts/setup test";
    }
  }
};

TEST_F(Ovsdb, FiveServersThatAreLeftAloneTellAllClientsTheSame) {
  const run::Scenario scenario =
      run::load_scenario(kOvsdbFolder + "general-5.toml", built_in_systems());
  const run::RunResult quiet = run_ovsdb(scenario, {}, 1);
  EXPECT_EQ(quiet.verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(said(quiet, "host.txt"), HasSubstr("nothing is known against"));
  EXPECT_THAT(said(quiet, "servers/5.log"), HasSubstr("told 127.0.0.14"));
  EXPECT_THAT(said(quiet, "servers/0.log"), HasSubstr("compacting S database"));
}

/// A follower that was cut off gets a snapshot, because the leader has compacted its log. It
/// forgets who monitors it, and says so only to clients that know an extension of the protocol.
TEST_F(Ovsdb, AMonitorHearsNothingMoreAfterASnapshot) {
  TomlText text(run::read_scenario(kOvsdbFolder + "general.toml"), "general.toml");
  const run::Scenario scenario = run::parse_scenario(text.text(), "general", built_in_systems());
  const faults::Schedule cut =
      run::load_schedule(kOvsdbFolder + "silent-monitor.schedule.json", scenario);
  const run::RunResult silent = run_ovsdb(scenario, cut, 2);
  ASSERT_EQ(silent.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(silent.verdict.violations.at(0).signature(), "progress/monitors-catch-up");
  EXPECT_THAT(said(silent, "servers/3.log"), HasSubstr("all answer"));
  EXPECT_THAT(said(silent, "servers/3.log"), HasSubstr("not told by 127.0.0.11"));
  text.set("system.environment",
           R"(["OVS_RUNDIR=/node", "OVS_LOGDIR=/node", "UPKEEP=compact", "CHANGE_AWARE=1"])");
  const run::Scenario aware = run::parse_scenario(text.text(), "aware", built_in_systems());
  EXPECT_EQ(run_ovsdb(aware, cut, 2).verdict.outcome, oracle::Outcome::pass);
}

/// A server that waits to join has no schema yet, and is asked to write it down.
TEST_F(Ovsdb, AServerThatIsAskedToCompactWhileItJoinsDies) {
  const run::Scenario scenario =
      run::load_scenario(kOvsdbFolder + "general.toml", built_in_systems());
  const faults::Schedule outage =
      run::load_schedule(kOvsdbFolder + "compact-while-joining.schedule.json", scenario);
  const run::RunResult run = run_ovsdb(scenario, outage, 34);
  ASSERT_EQ(run.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(run.verdict.violations.at(0).signature(), "crash/no-server-dies");
  EXPECT_THAT(said(run, "servers/2.log"), HasSubstr("compacting S database by user request"));
  EXPECT_EQ(run_ovsdb(scenario, outage, 34).hash, run.hash);
}

TEST_F(Ovsdb, ServersLeaveAndAreKickedAndJoinAgain) {
  const run::Scenario scenario =
      run::load_scenario(kOvsdbFolder + "changes.toml", built_in_systems());
  const run::RunResult run = run_ovsdb(scenario, {}, 1);
  EXPECT_EQ(run.verdict.outcome, oracle::Outcome::pass);
  std::string logs;
  for (const char* name : {"servers/0.log", "servers/1.log", "servers/2.log"}) {
    logs += said(run, name);
  }
  EXPECT_THAT(logs, HasSubstr("finished leaving cluster"));
}

}  // namespace
}  // namespace dissensus::server
