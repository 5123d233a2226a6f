#include "systems/live/loop/timer.h"

#include <utility>

namespace dissensus::live {

Timer::~Timer() {
  cancel();
}

void Timer::after(std::chrono::nanoseconds time, std::function<void()> done) {
  at(now(io_) + std::chrono::duration_cast<LoopTime::duration>(time), std::move(done));
}

void Timer::at(LoopTime time, std::function<void()> done) {
  cancel();
  number_ = agenda::add(io_, time, std::move(done));
}

void Timer::cancel() {
  if (const std::uint64_t number = std::exchange(number_, 0); number != 0) {
    agenda::forget(io_, number);
  }
}

}  // namespace dissensus::live
