// A run that is held: programs stand still, and people look at them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace dissensus {

/// An Outside whose programs stand still whenever nobody waits for them may be this, too.
class Holdable {
 public:
  virtual ~Holdable() = default;

  /// Where to look, for people: processes, folders, files. Empty: nothing can be held here.
  virtual std::string held() const = 0;
  /// What every thread waits for, and its last calls.
  virtual std::string held_threads() const = 0;
  /// Memory and threads of every program, for a debugger: a file each, whose names it returns.
  virtual std::vector<std::string> write_cores(const std::string& folder) const = 0;
  /// For so long it was held: no limit of real time counts this.
  virtual void excuse(std::chrono::nanoseconds real_time) = 0;
};

}  // namespace dissensus
