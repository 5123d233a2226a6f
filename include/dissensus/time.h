// Virtual time. Every duration in the project is a std::chrono value; one tick is a microsecond.
#pragma once

#include <chrono>
#include <cstdint>

namespace dissensus {

using Duration = std::chrono::duration<std::int64_t, std::micro>;

/// The clock of the simulated world. It has no now(): only a Context or a World knows the time.
struct VirtualClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<VirtualClock>;
  static constexpr bool is_steady = true;
};

/// A moment of a run; the run begins at Time{}.
using Time = VirtualClock::time_point;

constexpr std::int64_t microseconds_of(Time time) {
  return time.time_since_epoch().count();
}
constexpr Time time_of_microseconds(std::int64_t count) {
  return Time{Duration{count}};
}

}  // namespace dissensus
