// Work that somebody may end before it is done: it asks again and again whether to go on.
#pragma once

#include <exception>
#include <functional>

namespace dissensus::isolate {

/// False: give up. Null: to the end. Threads ask at the same time.
using KeepGoing = std::function<bool()>;

/// Thrown by work that was given up; what was not finished is lost.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

inline void stop_unless(const KeepGoing& keep_going) {
  if (keep_going && !keep_going()) throw Stopped();
}

}  // namespace dissensus::isolate
