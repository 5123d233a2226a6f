// Redis as its users run it: a replica takes what its primary says for what it was told.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/runner.h"
#include "run/scenario_file.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

const std::string kRedisFolder = DISSENSUS_SOURCE_DIR "/scenarios/redis/";

class Redis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/redis-check-rdb")) {
      GTEST_SKIP() << "redis-tools is not installed: scripts/setup servers";
    }
  }
};

/// The same twice: a run of Redis repeats.
TEST_F(Redis, AValueThatIsChangedOnItsWayToAReplicaStaysThere) {
  std::filesystem::current_path(DISSENSUS_SOURCE_DIR);  // contents
  const run::Scenario scenario =
      run::load_scenario(kRedisFolder + "replica.toml", built_in_systems());
  run::Runner runner;
  const run::RunResult quiet = runner.run(scenario, {}, 1);
  EXPECT_EQ(quiet.verdict.outcome, oracle::Outcome::pass) << quiet.ended_by;
  EXPECT_GT(quiet.sent.at(scenario.system_description().find_kind("replicate")), 30U);
  EXPECT_GT(quiet.sent.at(scenario.system_description().find_kind("acknowledge")), 30U);

  const faults::Schedule changes =
      run::load_schedule(kRedisFolder + "changed-value.schedule.json", scenario);
  const run::RunResult changed = runner.run(scenario, changes, 1);
  ASSERT_EQ(changed.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(changed.verdict.violations.at(0).signature(),
            "agreement/replicas-say-what-their-primary-says");
  EXPECT_EQ(runner.run(scenario, changes, 1).hash, changed.hash);
}

}  // namespace
}  // namespace dissensus::server
