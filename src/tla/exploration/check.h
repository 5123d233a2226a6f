// Exhaustive search: every reachable state of a specification, breadth first, on several threads.
//
// The outcome, the counts and the counterexample do not depend on the number of workers: states are
// entered in one order, that of a queue which one worker would serve. Of a state a fingerprint of
// 64 bits is kept, and how it was reached; the states that are still to be expanded are kept as
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tla/evaluation/machine.h"
#include "tla/exploration/behaviour.h"

namespace dissensus::tla {

/// 0: no limit.
struct CheckLimits {
  std::uint64_t states = 0;  ///< distinct
  std::uint64_t bytes = 0;   ///< of memory, as far as the search knows it
  std::uint32_t depth = 0;   ///< states of the last level are not expanded
  double seconds = 0;
};

struct CheckProgress {
  std::uint64_t generated = 0, distinct = 0, queued = 0;
  std::uint32_t depth = 0;
  double seconds = 0;
};

struct CheckOptions {
  std::size_t workers = 1;
  std::optional<bool> deadlock;  ///< overrules CHECK_DEADLOCK
  std::uint64_t seed = 1;        ///< of RandomElement and its like, in constants, too
  CheckLimits limits;
  MachineOptions machine;
  std::vector<std::pair<std::string, std::string>> environment;  ///< IOEnv
  /// Whether operators may write files (JsonSerialize...).
  bool may_write_files = false;
  /// Queued states beyond so many bytes wait in a temporary file.
  std::uint64_t queue_bytes = std::uint64_t{512} << 20;
  /// A worker's values are thrown away beyond so many bytes.
  std::size_t collect_bytes = std::size_t{96} << 20;
  /// Depth first with one worker instead: for logs that leave much open. Depth is then that of the
  /// search, and a counterexample need not be the shortest.
  bool depth_first = false;
  /// Judge temporal properties. Not done for a search that ends at a goal.
  bool checks_liveness = true;
  /// An expression of whole numbers; the largest value and where it occurred are reported.
  std::string maximise;
  /// A constant whole number: when the largest value is above it, nobody asks where it occurred.
  std::string enough;
  /// The search ends, with outcome ok, at the first state where this is true.
  std::string goal;
  std::function<void(const CheckProgress&)> progress;  ///< now and then
  std::function<void(std::string_view)> print;         ///< Print and PrintT
};

enum class CheckOutcome : std::uint8_t {
  ok,
  violation,
  deadlock,
  assumption,  ///< an ASSUME is false
  error,       ///< something could not be evaluated
  incomplete,  ///< a limit was reached
};
std::string_view to_string(CheckOutcome outcome);

struct CheckResult {
  CheckOutcome outcome = CheckOutcome::ok;
  std::string message;                       ///< one line; empty when ok
  std::string property;                      ///< name of the violated one
  std::vector<std::string> remarks;          ///< what else there is to know about the answer
  Location at;                               ///< of an assumption or error
  std::vector<EvaluationError::Call> calls;  ///< of an error
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;  ///< initial states included
  std::uint64_t initial = 0;
  std::uint64_t queued = 0;  ///< found, not expanded
  std::uint32_t depth = 0;   ///< levels of the search; an initial state is level 1
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  ///< of the process
  Behaviour trace;               ///< to the violation, deadlock or error; it may end in a loop
  /// Steps per action, in the order of Spec::actions; only of a complete search.
  std::vector<std::uint64_t> steps_by_action;
  /// Temporal properties: which were judged, and which were asked for and not.
  std::vector<std::string> judged_properties, unjudged_properties;
  bool left_out_symmetry = false;  ///< SYMMETRY has no effect where liveness is checked
  bool reached_goal = false;
  bool was_asked_to_end = false;  ///< by the specification: TLCSet("exit", TRUE)
  std::optional<std::int64_t> maximum;
  std::optional<std::int64_t> enough;  ///< value of CheckOptions::enough
  Behaviour maximum_trace;             ///< to the first state with the maximum, unless above that

  double states_per_second() const;
  /// Expected number of states lost to equal fingerprints.
  double collision_estimate() const;
};

/// Spec must have a behaviour, or only its assumptions are checked.
CheckResult check(const std::shared_ptr<const Spec>& spec, const CheckOptions& options = {});

/// The process's environment with additions, for Environment::variables.
std::vector<std::pair<std::string, std::string>> process_environment();

}  // namespace dissensus::tla
