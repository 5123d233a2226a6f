// What schedules do to the machines of real servers: programs that stand still, disks that are
// slow.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "dissensus/faults.h"

#include "run/runner.h"
#include "systems/built_in/built_in.h"

namespace dissensus::server {
namespace {

/// Each of two servers says so when a second, and what it wrote, is over: six times.
run::Scenario ticking(int expected) {
  const std::string text =
      "format = \"dissensus-scenario/1\"\nname = \"ticking\"\n"
      "[system]\nkind = \"server\"\nnodes = 2\ncommand = [\"/bin/sh\", \"-c\", "
      "\"while sleep 1; do dd if=/dev/zero of=/node/f count=1 conv=fsync status=none; echo tick; "
      "done\"]\n"
      "[[system.observe]]\nname = \"ticks\"\npattern = \"tick\"\ncount = true\n"
      "[[oracle.rule]]\nname = \"ticks\"\nproperty = \"progress\"\nwhen = \"end\"\n"
      "check = \"sum(ticks) == " +
      std::to_string(expected) + "\"\n[limits]\nvirtual_time = \"6500ms\"\n";
  return run::parse_scenario(text, "ticking.toml", built_in_systems());
}

oracle::Outcome outcome(int expected, const faults::Schedule& schedule) {
  run::Runner runner;
  return runner.run(ticking(expected), schedule, 1).verdict.outcome;
}

TEST(Machines, AServerThatStandsStillMissesItsTime) {
  EXPECT_EQ(outcome(12, {}), oracle::Outcome::pass);
  faults::PauseFault pause;
  pause.nodes = {1};
  pause.when.from = std::chrono::milliseconds(1500);
  pause.when.until = std::chrono::milliseconds(4200);
  // It sleeps until 4.2 s instead of 2 s, and ticks twice more.
  EXPECT_EQ(outcome(10, {{}, {pause}}), oracle::Outcome::pass);
}

TEST(Machines, ASyncThatBeginsWhileTheDiskIsSlowTakesLonger) {
  faults::DiskFault slow;
  slow.node = 0;
  slow.trouble = faults::DiskFault::Trouble::slow;
  slow.extra = std::chrono::milliseconds(2500);
  slow.when.from = std::chrono::milliseconds(1500);
  slow.when.until = std::chrono::milliseconds(2500);
  // The second write is over at 4.5 s; two more follow, and the other server does not notice.
  EXPECT_EQ(outcome(9, {{}, {slow}}), oracle::Outcome::pass);
}

}  // namespace
}  // namespace dissensus::server
