// Code that ends the process, or never ends, is a finding of its run and not the end of the hunt.
#include "run/worker_process.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/faults.h"

#include "run/runner.h"
#include "systems/built_in/built_in.h"

namespace dissensus::run {
namespace {

using testing::HasSubstr;

/// What the code under test does in a run, by its seed.
enum Deed : std::uint64_t {
  kEndsWell = 1,
  kThrows,
  kAborts,
  kSegfaults,
  kOverflowsItsStack,
  kExits,
  kSpins,
  kWaits,
  kTakesAllMemory,
  kIsMisused,
};

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

int deeper(volatile int* depth) {
  if (*depth < 0) return 0;  // which it never is
  volatile int here[256] = {*depth};
  here[0] = here[0] + 1;
  return deeper(&here[0]) + here[1];
}

RunResult misbehave(const Scenario&, const faults::Schedule& schedule, std::uint64_t seed,
                    const RunOptions&) {
  if (seed == kIsMisused) throw InputError("no such schedule here");
  set_crashed_run(result_of);
  switch (seed) {
    case kThrows:
      throw std::runtime_error("no such member");
    case kAborts:
      std::abort();
    case kSegfaults:
      *nowhere = 1;
      break;
    case kOverflowsItsStack: {
      volatile int depth = 0;
      deeper(&depth);
      break;
    }
    case kTakesAllMemory:
      for (std::vector<std::vector<char>> all;;) all.emplace_back(std::size_t{1} << 20, 'x');
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

  static Scenario impatient() {
    Scenario scenario = load_scenario(
        DISSENSUS_SOURCE_DIR "/scenarios/majority/overtaken-commit.toml", built_in_systems());
    scenario.plan.limits.call = std::chrono::milliseconds(300);
    scenario.plan.limits.memory_bytes = 64 << 20;
    return scenario;
  }

  const Scenario scenario_ = impatient();
  const faults::Schedule schedule_{{}, {faults::OutageFault{{0}, {}}}};
  WorkerProcess worker_{misbehave};
};

TEST_F(WorkerProcessTest, ARunThatEndsWellIsAsInThisProcess) {
  EXPECT_EQ(run(kEndsWell).hash, 1001u);
  EXPECT_EQ(run(kEndsWell).verdict.outcome, misbehave(scenario_, schedule_, 1, {}).verdict.outcome);
}

TEST_F(WorkerProcessTest, AnExceptionThatNobodyCatchesIsACrash) {
  const oracle::Violation crash = crash_of(kThrows);
  EXPECT_EQ(crash.property, "crash");
  EXPECT_THAT(crash.rule, HasSubstr("std::runtime_error"));
  EXPECT_THAT(crash.text, HasSubstr("throws std::runtime_error: no such member"));
}

// The stack is that of the throw: nothing was unwound before it was looked at.
TEST_F(WorkerProcessTest, ACrashLeavesItsStackBehind) {
  const RunResult result = run(kThrows);
  ASSERT_EQ(result.attachments.size(), 1u);
  EXPECT_EQ(result.attachments[0].name, "crash.txt");
  EXPECT_THAT(result.attachments[0].text, HasSubstr("innermost first\n"));
  // From who handles the exception over who throws it to the code that threw.
  const std::string& text = result.attachments[0].text;
  const std::size_t thrown = text.rfind("libstdc++");
  ASSERT_NE(thrown, std::string::npos) << text;
  EXPECT_NE(text.find("test_run+", thrown), std::string::npos) << text;
}

TEST_F(WorkerProcessTest, AnOverflowOfTheStackIsNamed) {
  EXPECT_THAT(crash_of(kOverflowsItsStack).rule, HasSubstr("stack-overflow"));
}

TEST_F(WorkerProcessTest, MemoryWithoutEndIsAFindingOfItsOwn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers know no limit of memory";
#endif
  const oracle::Violation memory = crash_of(kTakesAllMemory);
  EXPECT_EQ(memory.property, "memory");
  EXPECT_THAT(memory.text, HasSubstr("limits.memory_bytes, 67108864"));
}

TEST_F(WorkerProcessTest, WrongInputIsNoFinding) {
  EXPECT_THROW(run(kIsMisused), InputError);
  EXPECT_EQ(run(kEndsWell).hash, 1001u);
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

TEST_F(WorkerProcessTest, ACallWithoutEndHangs) {
  const oracle::Violation hang = crash_of(kSpins);
  EXPECT_EQ(hang.property, "hang");
  EXPECT_EQ(hang.rule, "call-without-end") << "where it was looked at is by chance";
}

// A deadlock uses no processor time. The limit is a bit more than a second here.
TEST_F(WorkerProcessTest, ACallThatWaitsForNothingHangs) {
  EXPECT_EQ(crash_of(kWaits).property, "hang");
}

TEST_F(WorkerProcessTest, ARunThatHangsIsGivenUpWhenAsked) {
  static bool asked = false;
  give_up_runs_when([] { return asked; });
  asked = true;
  const RunResult result = run(kWaits);
  give_up_runs_when(nullptr);
  EXPECT_TRUE(result.broken_off);
  EXPECT_EQ(result.ended_by, "interrupted");
  EXPECT_EQ(result.verdict.outcome, oracle::Outcome::unknown);
  EXPECT_EQ(run(kEndsWell).hash, 1001u);
}

TEST_F(WorkerProcessTest, NoProcessIsLeftBehind) {
  {
    WorkerProcess worker(misbehave);
    worker.run(scenario_, schedule_, kAborts, {});
    worker.run(scenario_, schedule_, kEndsWell, {});
  }
  worker_.run(scenario_, schedule_, kExits, {});
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child, running or dead";
}

}  // namespace
}  // namespace dissensus::run
