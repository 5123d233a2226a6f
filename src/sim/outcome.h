// How a world came to its end, and what happened in it, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/describe.h"

namespace dissensus::sim {

/// Why World::run returned.
enum class StopReason : std::uint8_t {
  quiet,           ///< nothing left to happen
  requested,       ///< request_stop
  event_reached,   ///< the event number asked for
  time_limit,      ///< limits.virtual_time
  event_limit,     ///< limits.events
  queue_limit,     ///< limits.queue
  delivery_limit,  ///< limits.deliveries, a planned end
  outside,         ///< Outside::trouble
  standstill,      ///< limits.instant: events without time passing
};
std::string_view to_string(StopReason reason);

/// Totals of a run.
struct WorldCounters {
  std::uint64_t steps = 0;  ///< deliveries, timers, submissions and alarms executed
  std::uint64_t sends = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t timers = 0;
  std::size_t queue_max = 0;
};
template <class Visit>
constexpr void fields_of(const WorldCounters*, const Visit& visit) {
  visit("steps", &WorldCounters::steps);
  visit("sends", &WorldCounters::sends);
  visit("deliveries", &WorldCounters::deliveries);
  visit("timers", &WorldCounters::timers);
  visit("queue_max", &WorldCounters::queue_max);
}

}  // namespace dissensus::sim
