// What a worker process and its parent say to each other, as bytes of one machine and one program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.h"
#include "core/event.h"
#include "run/runner.h"

namespace dissensus::run {

/// An order to run something: what of RunOptions can travel.
struct RunRequest {
  faults::Schedule schedule;
  std::uint64_t seed = 0;
  trace::Detail detail = trace::Detail::hash;
  bool metrics = false;
  bool log = false;
  bool observed = false;  ///< somebody wants to see reports and faults
  std::optional<Branch> branch;
  /// An online scheduler of the parent decides about messages (worker_scheduler.h).
  enum class Online : std::uint8_t { no, picks, delays } online = Online::no;
  Duration hold{};  ///< Scheduler::hold
};

/// An event that an observer sees, without what it borrows.
struct SeenEvent {
  Event event;
  std::string text;
};

struct RunAnswer {
  RunResult result;
  std::vector<SeenEvent> seen;
  bool crashed = false;  ///< the process ends with this answer
  std::string error;     ///< an InputError in the place of a result
};

std::string encode(const RunRequest& request);
std::string encode(const RunAnswer& answer);
/// Throw InputError where the bytes are something else.
RunRequest decode_request(std::string_view bytes);
RunAnswer decode_answer(std::string_view bytes);

}  // namespace dissensus::run
