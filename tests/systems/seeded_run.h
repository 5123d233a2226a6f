// Runs under schedules that are drawn from their seed, for the tests of simulated systems.
#pragma once

#include <cstdint>
#include <string>

#include "run/runner.h"
#include "run/schedule_space.h"

namespace dissensus {

inline run::RunResult run_seed(run::Runner& runner, const run::Scenario& scenario,
                               std::uint64_t seed) {
  Random random(seed, "schedule");
  return runner.run(scenario, run::random_schedule(scenario, random), seed);
}

inline run::RunResult run_seed(const run::Scenario& scenario, std::uint64_t seed) {
  run::Runner runner;
  return run_seed(runner, scenario, seed);
}

/// Why a run ended as it did.
inline std::string explain(const run::RunResult& result) {
  return result.verdict.violations.empty() ? result.ended_by
                                           : result.verdict.violations.front().text;
}

}  // namespace dissensus
