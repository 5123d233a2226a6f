// A run as the explorer shows it: its trace with everything that is asked of it again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "oracle/verdict.h"
#include "run/remake.h"
#include "run/runner.h"
#include "trace/trace.h"

namespace dissensus::serve {

struct LoadedRun {
  trace::Trace trace;
  oracle::Verdict verdict;
  /// None: the run can be looked at and not be made again; `not_repeatable` says why.
  std::optional<run::Recipe> recipe;
  std::string not_repeatable;
  run::Recorded recorded;  ///< for messages
  /// The recipe was run, and gave this run. Shared, since it is known later than the run.
  std::shared_ptr<std::atomic<bool>> was_made_again = std::make_shared<std::atomic<bool>>(false);

  // By record:
  std::vector<std::size_t> cause;     ///< trace::cause_indices
  std::vector<std::size_t> previous;  ///< the record before it at its node; trace::kNoIndex: none
  std::vector<std::uint64_t> round;   ///< of its node then
  /// Of decisions: 0 for the value decided first in an instance, 1 for the first other one, ...
  std::vector<std::uint8_t> variant;
  std::vector<bool> disputed;  ///< decisions of instances that were decided differently

  const std::vector<trace::Record>& records() const { return trace.records; }
};

/// Fills what is kept by record.
void index_run(LoadedRun& run);

/// From a run folder or a trace file. Throws InputError.
std::shared_ptr<const LoadedRun> load_run(const std::string& path, const SystemRegistry& systems);
/// From a run that was just made with everything recorded.
std::shared_ptr<const LoadedRun> load_run(const run::Recipe& recipe, run::RunResult result);

/// Before anything is said of runs that are made like this one. Throws InputError where the run
/// cannot be made again, or comes out as another one now.
const run::Recipe& recipe_that_repeats(const LoadedRun& run);

/// What came to a node and made it act: its start, a message, a timer...
bool is_stimulus(EventType type);
/// The record of the stimulus that a record belongs to; itself where there is none.
std::size_t stimulus_of(const LoadedRun& run, std::size_t record);

}  // namespace dissensus::serve
