// A server that a sanitizer ends is found by a hunt, with what the sanitizer says, its last calls
// and its log.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosted/death.h"
#include "hunt/hunt.h"
#include "hunt/parts.h"
#include "run/recording.h"
#include "run/runner.h"
#include "search/registry.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

using ::testing::HasSubstr;

/// Node 1 reads at 1 s, node 2 closes at 1.2 s; delays of up to half a second can change the order.
std::string careless_scenario() {
  return fmt::format(R"(format = "dissensus-scenario/1"
name = "careless"
[system]
kind = "server"
nodes = 3
command = ["{0}", "keep", "{{address:0}}"]
[[system.node]]
node = 1
command = ["{0}", "read", "{{address:0}}"]
[[system.node]]
node = 2
command = ["{0}", "close", "{{address:0}}"]
[schedule]
type = "delay"
max_delay = "500ms"
[limits]
virtual_time = "5s"
)",
                     CARELESS_SERVER);
}

std::string file_of(const run::RunResult& result, const std::string& name) {
  for (const Outside::Attachment& file : result.attachments) {
    if (file.name == name) return file.text;
  }
  return {};
}

TEST(Crash, AHuntFindsWhatASanitizerSays) {
  const run::Scenario scenario =
      run::parse_scenario(careless_scenario(), "careless", built_in_systems());
  run::Runner runner;
  ASSERT_EQ(runner.run(scenario, {}, 1).verdict.outcome, oracle::Outcome::pass);

  hunt::HuntOptions options;
  options.search = "random";
  options.budget.runs = 40;
  hunt::HuntParts parts = hunt::make_parts(scenario, search::built_in_registry(), options);
  const hunt::HuntResult hunted = hunt::hunt(scenario, parts, options);
  ASSERT_TRUE(hunted.found());
  const hunt::Finding& finding = hunted.progress.findings.front();
  EXPECT_EQ(finding.signature, "crash/heap-use-after-free");
  EXPECT_THAT(finding.verdict.violations.front().text,
              HasSubstr("the server of node 0 exited with code 1 (AddressSanitizer: "
                        "heap-use-after-free "));

  const run::RunResult again =
      runner.run(scenario, finding.schedule, finding.seed, run::with_everything());
  EXPECT_EQ(again.hash, finding.hash);
  EXPECT_FALSE(again.broken_off);
  EXPECT_EQ(again.ended_by, "crash");
  EXPECT_THAT(file_of(again, "servers/0.log"), HasSubstr("closed\n"));
  EXPECT_THAT(file_of(again, "servers/0.log"), HasSubstr("ERROR: AddressSanitizer"));
  EXPECT_THAT(file_of(again, "servers/threads.txt"), HasSubstr("has ended"));
  EXPECT_THAT(file_of(again, "servers/threads.txt"), HasSubstr("exit_group(0x1"));
  EXPECT_THAT(file_of(again, "host.txt"), HasSubstr("nothing is known against"));
}

TEST(Crash, EndsAreToldApart) {
  const auto manner = [](const host::Exit& exit, std::string_view output = "",
                         bool may_exit = false) {
    const auto death = hosted::death_of(2, exit, output, may_exit);
    return death ? death->manner : "none";
  };
  EXPECT_EQ(manner({.code = 0}), "none");
  EXPECT_EQ(manner({.code = 3}), "exit-3");
  EXPECT_EQ(manner({.code = 3}, "", true), "none");
  EXPECT_EQ(manner({.signal = 11}, "", true), "SIGSEGV");
  EXPECT_EQ(manner({.code = 66}, "SUMMARY: ThreadSanitizer: data race /a/b.cpp:7 in f\n", true),
            "data race");
  EXPECT_EQ(manner({.code = 1}, "SUMMARY: AddressSanitizer: SEGV (/bin/x+0x12) \n"), "SEGV");
  EXPECT_EQ(manner({.code = 1}, "SUMMARY: all went well\n"), "exit-1");
  EXPECT_EQ(hosted::death_of(2, {.code = 3}, "", false)->text,
            "the server of node 2 exited with code 3");
}

}  // namespace
}  // namespace dissensus::server
