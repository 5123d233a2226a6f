// The pace of a simulation. Virtual time is the same under either clock, so traces are too.
#pragma once

#include <chrono>
#include <memory>

#include "dissensus/time.h"

namespace dissensus::sim {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Called before each event with its virtual time, which never decreases.
  virtual void advance_to(Time time) = 0;
};

/// Jumps: takes no real time at all.
class SimulationClock final : public Clock {
 public:
  void advance_to(Time) override {}
};

/// Keeps real pace: returns when as much real time has passed since the first call as virtual time.
class SystemClock final : public Clock {
 public:
  void advance_to(Time time) override;

 private:
  bool started_ = false;
  Time first_{};
  std::chrono::steady_clock::time_point origin_{};
};

}  // namespace dissensus::sim
