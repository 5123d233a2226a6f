// "What if this message had come later?": the run again with one thing changed at one event. A run
// is a pure function, so everything before that event happens as it did, and the result is a run of
// its own, with a schedule that says what was changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "serve/loaded_run.h"

namespace dissensus::serve {

struct Change {
  enum class Type : std::uint8_t {
    drop,       ///< the event's message is lost
    delay,      ///< ... comes later by `time`
    duplicate,  ///< ... comes twice, the second time later by `time`
    lie,        ///< ... and the like say something else in `field`
    crash,      ///< right after the event `node` stops, for `time` or for good
    pause,      ///< ... stands still for `time`
    isolate,    ///< ... is cut off for `time`
    seed,       ///< from the event on chance falls otherwise
  };
  Type type = Type::drop;
  std::size_t record = 0;
  NodeId node = kNoNode;
  std::optional<Duration> time;
  std::string field;
  std::uint64_t seed = 0;
};
/// Reads the body of a request. Throws InputError.
Change parse_change(const std::string& json, const LoadedRun& run);

struct BranchResult {
  run::Recipe recipe;
  std::string words;  ///< what was changed
  std::shared_ptr<const LoadedRun> run;
  /// The first record in which the runs differ; none: they do not.
  std::optional<std::size_t> first_difference;
  double simulated_ms = 0;  ///< of wall time
  run::RunResult result;    ///< without its records
};

/// The recipe with the change. Throws InputError where it could have no effect.
run::Recipe changed_recipe(const LoadedRun& run, const Change& change, std::string& words);
BranchResult make_branch(const LoadedRun& run, const Change& change);

/// The first record in which two runs differ; none: they do not.
std::optional<std::size_t> first_difference(const LoadedRun& a, const LoadedRun& b);

}  // namespace dissensus::serve
