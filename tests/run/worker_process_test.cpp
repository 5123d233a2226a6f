// Code that ends the process, or never ends, is a finding of its run and not the end of the hunt.
#include "run/worker_process.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/runner.h"
#include "systems/built_in/built_in.h"

namespace dissensus::run {
namespace {

using testing::HasSubstr;

/// What the code under test does in a run, by its seed.
enum Deed : std::uint64_t { kEndsWell = 1, kThrows, kAborts, kSegfaults, kExits, kSpins, kWaits };

RunResult result_of(const oracle::Violation& violation) {
  RunResult result;
  result.verdict.outcome = oracle::Outcome::fail;
  result.verdict.violations = {violation};
  result.sent.resize(2);
  result.events = 7;  // what was seen of the run before its end
  return result;
}

/// Keeps the compiler from knowing what it points to.
int* volatile nowhere = nullptr;

RunResult misbehave(const Scenario&, const faults::Schedule& schedule, std::uint64_t seed,
                    const RunOptions&) {
  set_crashed_run(result_of);
  switch (seed) {
    case kThrows:
      throw std::runtime_error("no such member");
    case kAborts:
      std::abort();
    case kSegfaults:
      *nowhere = 1;
      break;
    case kExits:
      _exit(3);
    case kSpins:
      for (volatile bool on = true; on;) {
      }
      break;
    case kWaits:
      for (;;) pause();
    default:
      break;
  }
  RunResult result;
  result.sent.resize(2);
  result.hash = 1000 * seed + schedule.faults.size();
  return result;
}

class WorkerProcessTest : public testing::Test {
 protected:
  RunResult run(std::uint64_t deed) { return worker_.run(scenario_, schedule_, deed, {}); }
  /// The crash of a run, and that the next one is made as if nothing had been.
  oracle::Violation crash_of(std::uint64_t deed) {
    const RunResult result = run(deed);
    EXPECT_EQ(result.verdict.outcome, oracle::Outcome::fail);
    EXPECT_EQ(run(kEndsWell).hash, 1001u) << "the schedule was kept";
    if (result.verdict.violations.size() != 1) return {};
    return result.verdict.violations.front();
  }

  const Scenario scenario_ = load_scenario(
      DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml", built_in_systems());
  const faults::Schedule schedule_{{}, {faults::OutageFault{{0}, {}}}};
  WorkerProcess worker_{misbehave, 1};
};

TEST_F(WorkerProcessTest, ARunThatEndsWellIsAsInThisProcess) {
  EXPECT_EQ(run(kEndsWell).hash, 1001u);
  EXPECT_EQ(run(kEndsWell).verdict.outcome, misbehave(scenario_, schedule_, 1, {}).verdict.outcome);
}

TEST_F(WorkerProcessTest, AnExceptionThatNobodyCatchesIsACrash) {
  const oracle::Violation crash = crash_of(kThrows);
  EXPECT_EQ(crash.property, "crash");
  EXPECT_THAT(crash.rule, HasSubstr("abort"));
  EXPECT_THAT(crash.text, HasSubstr("no such member"));
}

TEST_F(WorkerProcessTest, AnAbortIsACrash) {
  EXPECT_THAT(crash_of(kAborts).rule, HasSubstr("abort"));
}

TEST_F(WorkerProcessTest, AMemoryFaultIsACrashWithWhatWasSeenOfTheRun) {
  EXPECT_THAT(crash_of(kSegfaults).rule, HasSubstr("segmentation-fault"));
  EXPECT_EQ(run(kSegfaults).events, 7u);
}

TEST_F(WorkerProcessTest, AnExitIsACrash) {
  EXPECT_EQ(crash_of(kExits).rule, "exit-3");
}

TEST_F(WorkerProcessTest, ARunWithoutEndIsACrash) {
  EXPECT_THAT(crash_of(kSpins).rule, HasSubstr("no-end"));
}

// A deadlock uses no processor time. The limit is ten seconds here.
TEST_F(WorkerProcessTest, ARunThatWaitsForNothingIsACrash) {
  EXPECT_THAT(crash_of(kWaits).rule, HasSubstr("no-end"));
}

TEST_F(WorkerProcessTest, NoProcessIsLeftBehind) {
  {
    WorkerProcess worker(misbehave, 1);
    worker.run(scenario_, schedule_, kAborts, {});
    worker.run(scenario_, schedule_, kEndsWell, {});
  }
  worker_.run(scenario_, schedule_, kExits, {});
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child, running or dead";
}

}  // namespace
}  // namespace dissensus::run
