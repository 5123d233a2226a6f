// Programs that do what could differ from run to run: each run is the same, or says that it may not
// be.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Ran {
  std::string output;
  std::optional<Exit> exit;
  Report report;
};

Plan plan_of(std::uint64_t seed = 1) {
  Plan plan;
  plan.seed = seed;
  plan.machines = {{"one", ""}, {"two", ""}};
  plan.visible = {HOST_SUBJECT};
  plan.limits.stop_time = 1000ms;
  return plan;
}

Ran run(const std::vector<std::string>& words, const Plan& plan = plan_of()) {
  TestNetwork network(plan);
  Program program;
  program.name = words.front();
  program.command = {HOST_SUBJECT};
  program.command.insert(program.command.end(), words.begin(), words.end());
  const ProgramId id = network.host().start(program);
  EXPECT_TRUE(network.run_until(2h)) << network.host().trouble();
  Ran ran;
  ran.output = network.output(id);
  if (network.exits().contains(id)) ran.exit = network.exits().at(id);
  ran.report = network.host().report();
  return ran;
}

void expect_success(const Ran& ran) {
  ASSERT_TRUE(ran.exit.has_value()) << ran.output;
  EXPECT_EQ(to_string(*ran.exit), "exited with code 0") << ran.output;
  EXPECT_THAT(ran.output, Not(HasSubstr("FAILED")));
}

class Repeats : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Repeats, CallByCallAndByteByByte) {
  const Ran first = run(GetParam());
  const Ran second = run(GetParam());
  expect_success(first);
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
  EXPECT_THAT(first.report.doubts, IsEmpty());
}

TEST_P(Repeats, WhetherCallsAreAnsweredInsideOrStop) {
  Plan plan = plan_of();
  plan.answers = Answers::stops;
  for (const ThreadOrder order : {ThreadOrder::first_come, ThreadOrder::seeded}) {
    plan.order = order;
    plan.answers = Answers::stops;
    const Ran stopped = run(GetParam(), plan);
    plan.answers = Answers::inside;
    const Ran inside = run(GetParam(), plan);
    expect_success(inside);
    EXPECT_EQ(stopped.output, inside.output);
    EXPECT_EQ(first_difference(stopped.report.journal, inside.report.journal), std::nullopt);
    EXPECT_EQ(stopped.report.inside, 0U);
    EXPECT_EQ(stopped.report.stops, inside.report.stops + inside.report.inside);
    EXPECT_EQ(stopped.report.calls, inside.report.calls);
    EXPECT_THAT(inside.report.doubts, IsEmpty());
  }
}

TEST(Host, MostCallsThatNeedNoStopHaveNone) {
  const Ran ran = run({"inside"});
  expect_success(ran);
  EXPECT_GT(ran.report.inside, 6000U);
  EXPECT_LT(ran.report.stops, 1500U);
}

TEST_P(Repeats, InAnOrderOfThreadsThatTheSeedDraws) {
  Plan plan = plan_of(7);
  plan.order = ThreadOrder::seeded;
  const Ran first = run(GetParam(), plan);
  const Ran second = run(GetParam(), plan);
  expect_success(first);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

std::string name_of(const ::testing::TestParamInfo<std::vector<std::string>>& info) {
  std::string name;
  for (const std::string& word : info.param) name += word;
  return name;
}

using Words = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Host, Repeats,
                         ::testing::Values(Words{"clocks"}, Words{"random"}, Words{"threads"},
                                           Words{"timers"}, Words{"signals"}, Words{"processes"},
                                           Words{"pipes"}, Words{"folder"}, Words{"spin", "clock"},
                                           Words{"spin", "tsc"}, Words{"spin", "cpu"},
                                           Words{"spin", "yield"}, Words{"spin", "poll"},
                                           Words{"spin", "work"}, Words{"inside"}),
                         name_of);

/// While it lives, every processor is busy with something else.
class BusyMachine {
 public:
  BusyMachine() {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < 2 * processors; ++i) {
      threads_.emplace_back([this] {
        std::vector<unsigned char> memory(4 << 20);
        for (std::size_t at = 0; !is_over_; at = (at + 4097) % memory.size()) ++memory[at];
      });
    }
  }
  ~BusyMachine() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

/// While it lives, this thread and what it starts have one processor: the last that there is.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&one) == 0; --cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

TEST_P(Repeats, OnABusyMachineAndWithOneProcessor) {
  Plan plan = plan_of();
  plan.limits.stop_time = 10s;
  const Ran calm = run(GetParam(), plan);
  expect_success(calm);
  std::optional<Ran> busy;
  {
    const BusyMachine load;
    const OneProcessor one;
    busy = run(GetParam(), plan);
  }
  expect_success(*busy);
  EXPECT_EQ(calm.output, busy->output);
  EXPECT_EQ(first_difference(calm.report.journal, busy->report.journal), std::nullopt);
  EXPECT_THAT(busy->report.doubts, IsEmpty());
}

TEST(Host, ThreadsRunInAnotherOrderWithAnotherSeed) {
  Plan one = plan_of(1);
  Plan other = plan_of(2);
  one.order = other.order = ThreadOrder::seeded;
  const Ran first = run({"threads"}, one);
  const Ran second = run({"threads"}, other);
  EXPECT_NE(first.output, second.output);
  const auto difference = first_difference(first.report.journal, second.report.journal);
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(*difference, HasSubstr("program 0 process 0 thread"));
}

TEST(Host, RandomBytesFollowTheSeed) {
  EXPECT_NE(run({"random"}, plan_of(1)).output, run({"random"}, plan_of(2)).output);
}

TEST(Host, AnHourTakesAMoment) {
  const Ran ran = run({"clocks"});
  EXPECT_GE(ran.report.time, 1h);
  EXPECT_LT(ran.report.wall, 20s);
}

TEST(Host, WhoWaitsUntilAMomentIsOverWaitsAMicrosecondLonger) {
  for (const char* how : {"past", "past-poll"}) {
    const Ran ran = run({"spin", how});
    expect_success(ran);
    EXPECT_THAT(ran.output, HasSubstr(" for 50001000"));
  }
}

TEST(Host, ACallThatNobodyThoughtAboutIsNamed) {
  const Ran ran = run({"unknown"});
  EXPECT_THAT(ran.report.doubts, ::testing::ElementsAre(HasSubstr("kcmp")));
}

TEST(Host, AnyThreadMayPutAnotherProgramInThePlaceOfAll) {
  const Ran ran = run({"replace"});
  expect_success(ran);
  EXPECT_EQ(ran.output, "replaced\n");
}

TEST(Host, ALoopThatWaitsForMemoryIsFoundOnceAndRepeatsAfterwards) {
  const Ran found = run({"spin", "pause"});
  expect_success(found);
  // On a busy machine the watchdog may have doubts of its own before it looks at the loop.
  EXPECT_THAT(found.report.doubts, ::testing::Contains(HasSubstr("waits in a loop")));
  ASSERT_EQ(found.report.spin_sites.size(), 1U);
  Plan plan = plan_of();
  plan.spin_sites = found.report.spin_sites;
  const Ran first = run({"spin", "pause"}, plan);
  const Ran second = run({"spin", "pause"}, plan);
  expect_success(first);
  EXPECT_THAT(first.report.doubts, IsEmpty());
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

}  // namespace
}  // namespace dissensus::host
