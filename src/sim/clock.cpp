#include "sim/clock.h"

#include <thread>

namespace dissensus::sim {

void SystemClock::advance_to(Time time) {
  if (!started_) {
    started_ = true;
    first_ = time;
    origin_ = std::chrono::steady_clock::now();
  }
  std::this_thread::sleep_until(origin_ + (time - first_));
}

}  // namespace dissensus::sim
