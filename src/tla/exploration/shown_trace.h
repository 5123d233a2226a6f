// The trace at the end of a search, as ALIAS shows it and as a postcondition may ask for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tla/evaluation/machine.h"
#include "tla/exploration/behaviour.h"

namespace dissensus::tla {

/// States of a machine with the step that led to each; the first label says nothing.
struct StateTrace {
  std::vector<State> states;
  std::vector<Label> labels;
  std::optional<std::size_t> loop;  ///< after the last state comes this one again
};

/// The trace with the alias of the configuration, which knows Trace and TLCGet("level") up to each
/// state. An alias that cannot be evaluated is left out, and a remark says so.
Behaviour shown_behaviour(Machine& machine, const StateTrace& trace,
                          std::vector<std::string>& remarks);

/// TLCExt's CounterExample: numbered states, and the steps between them.
Value counter_example_of(Machine& machine, const StateTrace& trace);

/// While it lives, the machine's operators know a few more names (TLCGet("level"), Trace).
class MoreStatistics {
 public:
  /// `more` gives a null value for what it does not know.
  MoreStatistics(Machine& machine, std::function<Value(std::string_view)> more);
  ~MoreStatistics();
  MoreStatistics(const MoreStatistics&) = delete;
  MoreStatistics& operator=(const MoreStatistics&) = delete;

 private:
  Machine& machine_;
  std::function<Value(std::string_view)> before_;
};

}  // namespace dissensus::tla
