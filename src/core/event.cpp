#include "core/event.h"

#include <algorithm>
#include <array>

namespace dissensus {

namespace {
constexpr std::array<std::string_view, kEventTypes> kTypeNames{
    "start",  "send",    "deliver",   "drop",      "duplicate", "timer",
    "submit", "propose", "decide",    "phase",     "round",     "observe",
    "crash",  "restart", "partition", "heal",      "mutate",    "phase_end",
    "log",    "disk",    "fault",     "fault_end", "broken",    "operation"};
constexpr std::array<std::string_view, kDropReasons> kReasonNames{"loss", "buffer_full", "schedule",
                                                                  "partition", "crashed"};
}  // namespace

std::string_view to_string(EventType type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

bool parse_event_type(std::string_view text, EventType& type) {
  const auto* found = std::find(kTypeNames.begin(), kTypeNames.end(), text);
  if (found == kTypeNames.end()) return false;
  type = static_cast<EventType>(found - kTypeNames.begin());
  return true;
}

std::string_view to_string(DropReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

}  // namespace dissensus
