// A timer in the time of its io_context.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "systems/live/loop/surroundings.h"

namespace dissensus::live {

/// Waits for one moment at a time. Setting it again, cancel() and the end of the timer forget what
/// it waited for: that handler is never called.
class Timer {
 public:
  explicit Timer(boost::asio::io_context& io);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Calls `done` from the loop, not before this moment.
  void at(LoopTime time, std::function<void()> done);
  void after(std::chrono::nanoseconds time, std::function<void()> done);
  void cancel();

 private:
  struct Real;
  boost::asio::io_context& io_;
  std::unique_ptr<Real> real_;       ///< null in virtual time
  std::uint64_t number_ = 0;         ///< on the agenda of virtual time
  std::shared_ptr<bool> is_wanted_;  ///< of the wait under way
};

}  // namespace dissensus::live
