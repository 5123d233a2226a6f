// etcd as its users run it: clients that check what they are told, and two defects that a single
// slow sync brings to light (docs/results/etcd.md).
#include <cstdint>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/runner.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

run::Scenario etcd_scenario(const std::string& name) {
  return run::load_scenario(DISSENSUS_SOURCE_DIR "/scenarios/etcd/" + name + ".toml",
                            built_in_systems());
}

faults::Schedule load_etcd(const std::string& name, const run::Scenario& scenario) {
  return run::load_schedule(DISSENSUS_SOURCE_DIR "/scenarios/etcd/" + name + ".schedule.json",
                            scenario);
}

run::RunResult run_etcd(const run::Scenario& scenario, const faults::Schedule& schedule,
                        std::uint64_t seed = 1) {
  run::Runner runner;
  run::RunOptions options;
  options.log = true;
  return runner.run(scenario, schedule, seed, options);
}

std::string kept(const run::RunResult& result, const std::string& name) {
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == name) return file.text;
  }
  return {};
}

class Etcd : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/opt/dissensus/etcd-server/usr/bin/etcd")) {
      GTEST_SKIP() << "etcd is not installed: scripts/setup servers";
    }
    if (!std::filesystem::exists("/usr/bin/python3")) {
      GTEST_SKIP() << "python3 is not installed: scripts/setup test";
    }
  }
};

TEST_F(Etcd, ClientsOfServersThatAreLeftAloneHaveNothingToComplainAbout) {
  const run::RunResult quiet = run_etcd(etcd_scenario("general"), {});
  EXPECT_EQ(quiet.verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(kept(quiet, "host.txt"), HasSubstr("nothing is known against"));
  EXPECT_THAT(kept(quiet, "servers/3.log"), HasSubstr("lease kept"));
  EXPECT_THAT(kept(quiet, "servers/3.log"), HasSubstr("watched 127.0.0.12"));
  EXPECT_THAT(kept(quiet, "servers/3.log"), Not(HasSubstr("VIOLATED")));
}

TEST_F(Etcd, FiveServersAreAskedAsThreeAre) {
  const run::RunResult quiet = run_etcd(etcd_scenario("general-5"), {});
  EXPECT_EQ(quiet.verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(kept(quiet, "servers/5.log"), HasSubstr("watched 127.0.0.14"));
}

TEST_F(Etcd, AServerThatWasTakenOutComesBackAsALearnerAndIsPromoted) {
  const run::RunResult run = run_etcd(etcd_scenario("members"), {});
  EXPECT_EQ(run.verdict.outcome, oracle::Outcome::pass);
  EXPECT_THAT(kept(run, "servers/0.log"), HasSubstr("permanently removed from the cluster"));
  EXPECT_THAT(kept(run, "servers/0.log"), HasSubstr("promoted in cluster"));
}

/// The leader waits for its disk; another is elected, and keeps the client's lease alive. The first
/// one holds the lease for expired and asks the new leader to revoke it, which it does.
TEST_F(Etcd, ALeaderThatWaitedForItsDiskRevokesALeaseThatIsKeptAlive) {
  const run::Scenario scenario = etcd_scenario("general");
  const faults::Schedule slow = load_etcd("slow-disk", scenario);
  const run::RunResult first = run_etcd(scenario, slow, 12);
  ASSERT_EQ(first.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(first.verdict.violations.at(0).signature(), "history/clients-are-told-the-truth");
  EXPECT_THAT(kept(first, "servers/3.log"), HasSubstr("VIOLATED lease: member was promised"));
  EXPECT_THAT(kept(first, "servers/0.log"), HasSubstr("wal: sync duration of 5.001s"));
  EXPECT_EQ(run_etcd(scenario, slow, 12).hash, first.hash);
}

/// The leader waits for its disk, another is elected and revokes a lease; the first one still says
/// that it lives.
TEST_F(Etcd, ALeaderThatWaitsForItsDiskKeepsARevokedLeaseAlive) {
  const run::Scenario scenario = etcd_scenario("general");
  const run::RunResult run = run_etcd(scenario, load_etcd("kept-after-revocation", scenario), 4);
  ASSERT_EQ(run.verdict.outcome, oracle::Outcome::fail);
  EXPECT_EQ(run.verdict.violations.at(0).signature(), "history/clients-are-told-the-truth");
  EXPECT_THAT(kept(run, "servers/3.log"), HasSubstr("VIOLATED lease: lock is gone"));
}

}  // namespace
}  // namespace dissensus::server
