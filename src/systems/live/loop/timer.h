// A timer in the time of its io_context.
#pragma once

#include <functional>

#include "systems/live/loop/surroundings.h"

namespace dissensus::live {

/// Waits for one moment at a time. Setting it again, cancel() and the end of the timer forget what
/// it waited for: that handler is never called.
class Timer {
 public:
  explicit Timer(boost::asio::io_context& io) : io_(io) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Calls `done` from the loop, not before this moment.
  void at(LoopTime time, std::function<void()> done);
  void after(std::chrono::nanoseconds time, std::function<void()> done);
  void cancel();

 private:
  boost::asio::io_context& io_;
  std::uint64_t number_ = 0;  ///< on the agenda
};

}  // namespace dissensus::live
