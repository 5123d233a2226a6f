// Does a specification admit what a log says? Two ways to ask: a log of ours against the
// specification itself, or anybody's log through a trace specification that reads it.
// Formats: docs/formats/tla-trace.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tla/exploration/check.h"

namespace dissensus::tla {

// A log of ours.

struct LogOptions {
  /// Steps that the log does not show: at most so many of an action between two events.
  std::vector<std::pair<std::string, std::uint32_t>> hidden;
  std::size_t frontier_max = 10'000;  ///< model states that agree with the log so far
  std::size_t enabled_max = 8;        ///< actions named in an explanation
  bool check_invariants = true;
  MachineOptions machine;
  std::vector<std::pair<std::string, std::string>> environment;
};

enum class LogOutcome : std::uint8_t {
  matched,
  rejected,    ///< an event fits no step of the model
  violation,   ///< whatever way the log is read, an invariant fails
  error,       ///< something could not be evaluated
  incomplete,  ///< too many states agree with the log
};
std::string_view to_string(LogOutcome outcome);

/// A part of a state where model and log disagree.
struct Difference {
  std::string what;      ///< variable or expression
  std::string logged;    ///< as JSON
  std::string modelled;  ///< as TLA+
};

struct LogResult {
  LogOutcome outcome = LogOutcome::matched;
  std::string message;  ///< one line, with file and line of the log
  std::string property;
  Location at;
  std::uint64_t events = 0;  ///< that matched
  std::uint32_t line = 0;    ///< of the event that did not
  std::string event;         ///< as it was logged
  std::uint64_t states = 0;  ///< model states visited
  std::size_t frontier = 0;  ///< most states that agreed at once
  bool used_hidden_steps = false;
  // Why the event fits no step:
  bool is_enabled = false;              ///< the action is, but its result differs
  Explanation explanation;              ///< of an action that is not enabled
  std::vector<Difference> differences;  ///< of the successor that comes nearest
  std::vector<std::string> enabled;     ///< actions, the most similar ones first
  Behaviour before;                     ///< one state that agreed until then
  double seconds = 0;
};

/// Throws InputError for a log that cannot be read, names an unknown action, or has wrong
/// arguments.
LogResult check_log(const std::shared_ptr<const Spec>& spec, const std::string& path,
                    const LogOptions& options = {});
/// The same for a text; `name` is what messages call it.
LogResult check_log_text(const std::shared_ptr<const Spec>& spec, std::string_view text,
                         const std::string& name, const LogOptions& options = {});

// A trace specification.

struct TraceSpecOptions {
  CheckOptions check;
  std::string log;  ///< file; empty: what the specification takes of itself
  std::string
      variable;        ///< of the environment, by which it learns the log; empty: found in its text
  std::string cursor;  ///< expression for the line that comes next; empty: its variable l, i...
  std::string length;  ///< expression for the number of lines; empty: Len(TraceLog)...
};

struct TraceSpecResult {
  bool has_matched = false;
  CheckResult check;
  std::string variable;  ///< that was set
  std::string cursor, length;
  std::optional<std::int64_t> deepest;  ///< largest value of the cursor
  std::optional<std::int64_t> lines;
  Explanation explanation;  ///< why no step is possible in the deepest state
};

TraceSpecResult check_trace_spec(const std::shared_ptr<const Spec>& spec,
                                 const TraceSpecOptions& options);

/// The variable of the environment from which a text reads the name of its log; empty: none.
std::string log_variable_of(std::string_view spec_text);

}  // namespace dissensus::tla
