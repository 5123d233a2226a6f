// A line of a node's log (docs/formats/node-log.md): a step that the node took, what it had
// received before and what it sent after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/description.h"

namespace dissensus::conform {

using LogJson = nlohmann::ordered_json;

struct NodeLogLine {
  std::uint32_t node = 0;
  std::optional<std::uint32_t> step;  ///< as in Observation::event; none: messages alone
  std::vector<LogJson> arguments;     ///< in the order of the description
  LogJson state;                      ///< null: not told
  std::vector<std::string> sends, receives;
  std::optional<double> at_seconds;
};

/// Nullopt: the line says nothing (it is empty, or names the format). Throws InputError that begins
/// with `place`.
std::optional<NodeLogLine> read_node_log_line(const std::vector<StepDescription>& steps,
                                              std::string_view text, const std::string& place);

}  // namespace dissensus::conform
