// What clients ask and how answers are understood: Maelstrom's workloads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/random.h"

#include "systems/process/settings.h"

namespace dissensus::process {

/// A question and how it stands in the history.
struct Question {
  std::string function;
  nlohmann::json value;  ///< of the invocation
  nlohmann::json body;   ///< of the request, without msg_id
  bool is_read = false;  ///< changes nothing: without an answer it did not happen
  bool in_history = true;
};

/// The questions of one client.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual Question next(Random& random) = 0;
  /// The last read; without a function: the workload has none.
  virtual Question last() { return {}; }
  /// What the history says of an answer that is not an error.
  virtual nlohmann::json answer(const Question& question, const nlohmann::json& body) = 0;
  /// The same for an error that says how things are, e.g. that there is no such key; null: it is
  /// an error.
  virtual bool is_answer(const Question& /*question*/, std::int64_t /*code*/) { return false; }
};

/// What the clients of one run share: numbers that are used once.
struct SharedNumbers {
  std::int64_t next = 1;
};

std::unique_ptr<Workload> make_workload(const WorkloadSettings& settings, SharedNumbers& numbers);

/// Messages of the workload and of services, for the description.
std::vector<DeclaredMessage> workload_messages(WorkloadKind kind);
std::vector<DeclaredMessage> service_messages(const std::vector<ServiceKind>& services);

/// Errors after which it is sure that nothing happened (Maelstrom's numbers).
bool is_definite(std::int64_t code);

}  // namespace dissensus::process
