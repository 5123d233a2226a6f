// What system calls mean in virtual time, one table per idea.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <time.h>

#include "host/supervisor.h"

namespace dissensus::host {

struct CallEntry {
  int call;
  Handler handler;
};

std::span<const CallEntry> clock_calls();
std::span<const CallEntry> timer_calls();
std::span<const CallEntry> futex_calls();
std::span<const CallEntry> readiness_calls();
std::span<const CallEntry> data_calls();
std::span<const CallEntry> socket_calls();
std::span<const CallEntry> file_calls();
std::span<const CallEntry> process_calls();
std::span<const CallEntry> signal_calls();
std::span<const CallEntry> queue_calls();
std::span<const CallEntry> machine_calls();

// Shared by handlers.

inline timespec to_timespec(std::chrono::nanoseconds value) {
  return {value.count() / 1'000'000'000, value.count() % 1'000'000'000};
}
/// Saturates far in the future.
std::chrono::nanoseconds to_duration(const timespec& value);
HostTime after(HostTime now, std::chrono::nanoseconds delay);
/// A calendar clock, as opposed to a steady one.
bool is_calendar_clock(int clock);

inline int descriptor_argument(const Thread& thread, std::size_t index) {
  return static_cast<int>(static_cast<std::uint32_t>(thread.arguments[index]));
}

}  // namespace dissensus::host
