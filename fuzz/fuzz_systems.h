// The systems that schedules, rules and runs are fuzzed against.
#pragma once

#include "run/scenario.h"
#include "systems/simulated/simulated.h"

namespace dissensus::fuzz {

inline const run::Scenario& majority_scenario() {
  static const run::Scenario kScenario = run::parse_scenario(R"(
format = "dissensus-scenario/1"
name = "fuzz"
[system]
kind = "majority"
values = [1, 1, 0]
rounds = 3
[network]
latency = { uniform = ["5ms", "8ms"] }
[phases]
faults = "20s"
[oracle.termination]
level = "outcome"
goal = 2
bound = "30s"
[limits]
virtual_time = "2min"
events = 20000
)",
                                                             "majority.toml", simulated_systems());
  return kScenario;
}

inline const run::Scenario& xrpl_scenario() {
  static const run::Scenario kScenario = run::parse_scenario(R"(
format = "dissensus-scenario/1"
name = "fuzz"
[system]
kind = "xrpl"
nodes = 4
)",
                                                             "xrpl.toml", simulated_systems());
  return kScenario;
}

}  // namespace dissensus::fuzz
