// Programs that were built with a sanitizer run like others, and what it finds ends them.
#include "host/instrumented.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/harness.h"

namespace dissensus::host {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Sanitized {
  std::string output;
  std::string exit;
  Report report;
};

Sanitized run_sanitized(const std::vector<std::string>& command) {
  Plan plan;
  plan.machines = {{"one", ""}};
  plan.visible = {command.front()};
  TestNetwork network(plan);
  Program program;
  program.command = command;
  const ProgramId id = network.host().start(program);
  EXPECT_TRUE(network.run_until(10s)) << network.host().trouble();
  Sanitized result{network.output(id), "runs", network.host().report()};
  if (network.exits().contains(id)) result.exit = to_string(network.exits().at(id));
  return result;
}

TEST(Instrumented, IsSeenInTheFile) {
  EXPECT_TRUE(is_instrumented(HOST_OVERFLOW));
  EXPECT_FALSE(is_instrumented("/bin/sh"));
  EXPECT_FALSE(is_instrumented("/etc/passwd"));
  EXPECT_FALSE(is_instrumented("/nowhere"));
}

TEST(Instrumented, RunsAndRepeats) {
  const Sanitized first = run_sanitized({HOST_OVERFLOW, "16"});
  const Sanitized second = run_sanitized({HOST_OVERFLOW, "16"});
  EXPECT_EQ(first.output, "ready\nx\n");
  EXPECT_EQ(first.exit, "exited with code 0");
  EXPECT_THAT(first.report.doubts, IsEmpty());
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

TEST(Instrumented, WhatTheSanitizerFindsEndsTheProgram) {
  const Sanitized first = run_sanitized({HOST_OVERFLOW, "17"});
  const Sanitized second = run_sanitized({HOST_OVERFLOW, "17"});
  EXPECT_EQ(first.exit, "exited with code 1");
  EXPECT_THAT(first.output, HasSubstr("heap-buffer-overflow"));
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

/// One thread runs at a time, so the race does no harm here; what orders the threads is seen all
/// the same.
TEST(Instrumented, ADataRaceIsFound) {
  const Sanitized first = run_sanitized({HOST_RACE});
  const Sanitized second = run_sanitized({HOST_RACE});
  EXPECT_EQ(first.exit, "exited with code 66");
  EXPECT_THAT(first.output, HasSubstr("data race"));
  EXPECT_THAT(first.output, HasSubstr("\n2\n"));
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(first_difference(first.report.journal, second.report.journal), std::nullopt);
}

}  // namespace
}  // namespace dissensus::host
