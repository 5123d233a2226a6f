// How a worker process ends with the run that it makes, and what it still says then: a signal, an
// exception that nobody catches, a call that does not come back, memory without end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/limits.h"
#include "run/runner.h"
#include "run/worker_messages.h"

namespace dissensus::run {

/// Told by a run under way in a worker process: how it would end if it ended now with a crash.
/// Called from a signal handler of a process that is lost.
using CrashedRun = std::function<RunResult(const oracle::Violation& crash)>;
struct RunProgress {
  const std::uint64_t* steps = nullptr;           ///< what the run has done
  const std::uint64_t* recorded_bytes = nullptr;  ///< of its trace, which is ours; null: none
};
void set_crashed_run(CrashedRun how, RunProgress progress = {});
/// The code under test has done its part; what follows may take its time.
void end_of_foreign_code();

// What follows is for worker processes.

/// Calls `serve` where no caller of the parent can catch an exception of the code under test: the
/// stack is still there when it is asked for. Returns when `serve` does.
void make_worker(int channel, int said, const std::function<void()>& serve);
/// From here to the end of the run. `seen` is what an observer has seen of it.
void begin_worker_run(const RunLimits& limits, std::vector<SeenEvent>* seen);
void end_worker_run();

/// "segmentation-fault", by which findings are told apart.
std::string_view name_of_signal(int signal);
/// The last line of what a process wrote into this file, which is that of a failed assertion.
std::string last_words(int said);

}  // namespace dissensus::run
