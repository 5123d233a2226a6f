// Runs on servers that stay up from one to the next ([session] of a scenario).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/session.h"

#include "run/runner.h"
#include "run/scenario.h"

namespace dissensus::run {

/// The table [session]. Throws InputError, also where the system's servers do not stay up.
SessionPlan read_session(const Options& options, const Scenario& scenario);

/// The scenario of a run that came after others on the same servers: all that is needed to repeat
/// it. Throws InputError.
Scenario with_earlier(const Scenario& scenario, const std::vector<EarlierRun>& earlier,
                      const SystemRegistry& systems);

/// The runs of one thread.
class SessionRuns {
 public:
  /// One run on this system, in the place of the scenario's own.
  using RunOn = std::function<RunResult(const System& system, const faults::Schedule& schedule,
                                        std::uint64_t seed, const RunOptions& options)>;

  /// The scenario's earlier runs, then this one; or, with RunOptions::continues and no earlier runs
  /// in the scenario, this one on the servers that the last such call has left.
  RunResult run(const Scenario& scenario, const faults::Schedule& schedule, std::uint64_t seed,
                const RunOptions& options, const RunOn& run_on);

 private:
  RunResult continue_with(const Scenario& scenario, const faults::Schedule& schedule,
                          std::uint64_t seed, const RunOptions& options, const RunOn& run_on);

  std::shared_ptr<const System> system_;  ///< of the session that goes on
  std::unique_ptr<Session> session_;      ///< gone before its system
  std::vector<EarlierRun> since_start_;
};

}  // namespace dissensus::run
