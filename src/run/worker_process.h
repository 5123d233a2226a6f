// Runs of code that may end the process (SystemTraits::may_end_the_process): in a forked process,
// which makes one run after another until it ends with one of them. Such an end is a violation of
// the run, "crash", and the next run gets a new process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run/runner.h"

namespace dissensus::run {

/// Makes a run in this process, e.g. Runner's own way. What it is given to fill is all that is left
/// of the run if the process ends.
using RunHere = std::function<RunResult(const Scenario&, const faults::Schedule&, std::uint64_t,
                                        const RunOptions&)>;

/// Told by a run under way in a worker process: how it would end if it ended now with a crash.
/// Called from a signal handler of a process that is lost.
using CrashedRun = std::function<RunResult(const oracle::Violation& crash)>;
void set_crashed_run(CrashedRun how);

class WorkerProcess {
 public:
  /// A run that takes longer than this on the processor, or ten times as long altogether because
  /// it waits for something, has no end.
  static constexpr int kSecondsMax = 120;
  explicit WorkerProcess(RunHere run, int seconds_max = kSecondsMax)
      : run_(std::move(run)), seconds_max_(seconds_max) {}
  ~WorkerProcess() { end(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  RunResult run(const Scenario& scenario, const faults::Schedule& schedule, std::uint64_t seed,
                const RunOptions& options);

 private:
  void begin(const Scenario& scenario);
  void end();
  /// An exception of the code under test must not reach what the parent was doing when it forked.
  [[noreturn]] void serve(const Scenario& scenario, int channel) noexcept;
  /// False: the process ended without an answer.
  bool ask(const std::string& request, std::string& answer);
  RunResult lost(const Scenario& scenario, int status) const;

  RunHere run_;
  int seconds_max_;
  int process_ = -1;
  int channel_ = -1;
  const Scenario* scenario_ = nullptr;  ///< that the process knows
  std::string text_;                    ///< its text: another scenario may be at the same address
};

}  // namespace dissensus::run
