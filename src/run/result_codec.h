// What a worker process and its parent say to each other, as bytes of one machine and one program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "run/runner.h"

namespace dissensus::run {

/// An order to run something: what of RunOptions can travel.
struct RunRequest {
  std::string schedule;  ///< as JSON
  std::uint64_t seed = 0;
  trace::Detail detail = trace::Detail::hash;
  bool metrics = false;
  bool log = false;
  bool observed = false;        ///< somebody wants to see reports and faults
  std::uint64_t branch_at = 0;  ///< 0: no branch
  std::string branch_schedule;  ///< empty: the same
  std::uint64_t branch_seed = 0;
  bool has_branch_seed = false;
  /// An online scheduler of the parent decides about messages (worker_scheduler.h).
  enum class Online : std::uint8_t { no, picks, delays } online = Online::no;
  Duration hold{};  ///< Scheduler::hold
};
std::string encode(const RunRequest& request);
RunRequest decode_request(std::string_view bytes);

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
  std::string recorded;  ///< RunResult::recorded, as JSON
};
std::string encode(const RunAnswer& answer);
/// Throws std::runtime_error where the bytes are no answer.
RunAnswer decode_answer(std::string_view bytes);

}  // namespace dissensus::run
