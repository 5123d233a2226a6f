// Systems whose nodes are programs of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus {

/// What a node logs when its program has ended and had not begun: it was asked nothing, or did not
/// answer, and nobody heard of it.
inline constexpr std::string_view kNeverBegan = "the program ended before it had begun";

/// What such a System is as well.
class UsesPrograms {
 public:
  virtual ~UsesPrograms() = default;
  /// Programs that the scenario names and that are not there, each in a line for people. A scenario
  /// can be read where they are missing; it cannot be run.
  virtual std::vector<std::string> missing_programs() const = 0;
};

}  // namespace dissensus
