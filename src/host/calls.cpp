#include "host/calls.h"

#include <limits>

namespace dissensus::host {

Handler handler_of(long call) {
  static const std::array<Handler, 512> table = [] {
    std::array<Handler, 512> result{};
    for (const auto entries :
         {clock_calls(), timer_calls(), futex_calls(), readiness_calls(), data_calls(),
          socket_calls(), file_calls(), process_calls(), signal_calls(), signalfd_calls(),
          move_calls(), times_calls(), queue_calls(), machine_calls()}) {
      for (const CallEntry& entry : entries) {
        result.at(static_cast<std::size_t>(entry.call)) = entry.handler;
      }
    }
    return result;
  }();
  return call >= 0 && call < static_cast<long>(table.size()) ? table[static_cast<std::size_t>(call)]
                                                             : nullptr;
}

std::chrono::nanoseconds to_duration(const timespec& value) {
  constexpr std::int64_t kSecondsMax = 200LL * 365 * 24 * 3600;
  if (value.tv_sec > kSecondsMax) return std::chrono::seconds(kSecondsMax);
  return std::chrono::seconds(value.tv_sec) + std::chrono::nanoseconds(value.tv_nsec);
}

HostTime after(HostTime now, std::chrono::nanoseconds delay) {
  constexpr std::chrono::nanoseconds kEver = std::chrono::hours(24 * 365 * 100);
  return delay >= kEver ? kNever : now + std::max(delay, std::chrono::nanoseconds(0));
}

bool is_calendar_clock(int clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
         clock == CLOCK_REALTIME_ALARM;
}

}  // namespace dissensus::host
