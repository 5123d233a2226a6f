// Runs of code that may end the process (SystemTraits::may_end_the_process): in a forked process,
// which makes one run after another until it ends with one of them. Such an end is a violation of
// the run, "crash", "hang" or "memory", and the next run gets a new process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "run/runner.h"
#include "run/worker_end.h"

namespace dissensus::run {

/// Makes a run in this process, e.g. Runner's own way. What it is given to fill is all that is left
/// of the run if the process ends.
using RunHere = std::function<RunResult(const Scenario&, const faults::Schedule&, std::uint64_t,
                                        const RunOptions&)>;

/// Asked a few times a second while a worker process is at work; true ends the run, whatever it
/// does, and its result is broken off as `kInterrupted`. Once, before there are threads.
void give_up_runs_when(bool (*asked)());

class WorkerProcess {
 public:
  explicit WorkerProcess(RunHere run) : run_(std::move(run)) {}
  ~WorkerProcess() { end(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  RunResult run(const Scenario& scenario, const faults::Schedule& schedule, std::uint64_t seed,
                const RunOptions& options);

 private:
  void begin(const Scenario& scenario);
  void end();
  int wait_for_end();
  [[noreturn]] void become_worker(const Scenario& scenario, int channel);
  void serve(const Scenario& scenario);
  /// False: the process ended without an answer, or was given up.
  bool ask(const std::string& request, std::string& answer, Scheduler* scheduler);
  RunResult lost(const Scenario& scenario, int status) const;

  RunHere run_;
  int process_ = -1;
  int channel_ = -1;
  int said_ = -1;  ///< what the process writes to its standard error
  bool given_up_ = false;
  const Scenario* scenario_ = nullptr;  ///< that the process knows
  std::string text_;                    ///< its text: another scenario may be at the same address
};

}  // namespace dissensus::run
