// A run as steps: what came to a node, and all that the node did about it. Two runs are compared
// step by step, node by node, so that times do not matter but what depended on what does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace dissensus::diff {

inline constexpr std::size_t kNone = SIZE_MAX;

struct Step {
  std::size_t record = kNone;        ///< what came: a message, a timer, a request, a start
  std::vector<std::size_t> effects;  ///< records: sends, reports, log lines
  NodeId node = kNoNode;
  std::size_t place = 0;        ///< among the steps of its node
  std::size_t sender = kNone;   ///< of a message: the step that sent it
  std::size_t send = kNone;     ///< and the record
  std::uint64_t stimulus = 0;   ///< equal where the same came
  std::uint64_t behaviour = 0;  ///< equal where the same came and the same was done about it
  std::size_t equal = kNone;    ///< the step of the other run with the same behaviour
};

struct Steps {
  explicit Steps(const trace::Trace& trace);
  /// The step that a record belongs to; kNone for what belongs to none.
  std::size_t of_event(EventId event) const;

  const trace::Trace& trace;
  std::vector<Step> all;                        ///< in the order of the run
  std::vector<std::vector<std::size_t>> nodes;  ///< by node
  std::unordered_map<EventId, std::size_t> step_of;
};

/// Joins the steps of two runs that are equal, each with at most one, in the order of their nodes.
/// Returns by node how many steps from the beginning are.
std::vector<std::size_t> align(Steps& a, Steps& b);

}  // namespace dissensus::diff
