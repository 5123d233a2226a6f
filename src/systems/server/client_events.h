// What client programs write about what they asked and were told: lines of a history
// (docs/formats/history.md) among others.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dissensus/operation.h"

namespace dissensus::server {

/// One event, with the texts that a report only points at.
struct ClientEvent {
  history::EventKind kind = history::EventKind::invoke;
  std::int64_t process = 0;
  std::string function;
  std::string value = "null";  ///< JSON
  std::string error;           ///< JSON; empty: none
  bool is_final = false;

  history::OperationReport report() const {
    return {kind, process, function, value, error, is_final};
  }
};

/// The lines of all clients of a run, which share the numbers of processes.
class ClientEvents {
 public:
  /// Nothing: a line like any other, i.e. no JSON object with `process`, `type` and `f`. Throws
  /// OutsideError where it is one, but not an event, or not one that can follow the others. Blanks
  /// around it do not count.
  std::optional<ClientEvent> read(std::string_view line);
  /// A line that speaks of an event and is no JSON object: half of one, or two in one.
  static bool is_damaged(std::string_view line);

 private:
  std::set<std::int64_t> asking_;  ///< processes that wait for an answer
};

}  // namespace dissensus::server
