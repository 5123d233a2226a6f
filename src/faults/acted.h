// Which faults of a schedule did something in a run. One that did not was as good as not there, and
// the run says so.
#pragma once

#include <cstddef>
#include <vector>

namespace dissensus::faults {

class Acted {
 public:
  explicit Acted(std::size_t faults) : has_acted_(faults, 0) {}
  void mark(std::size_t fault) { has_acted_[fault] = 1; }
  bool has(std::size_t fault) const { return has_acted_[fault] != 0; }
  /// Those that did nothing, ascending.
  std::vector<std::size_t> idle() const {
    std::vector<std::size_t> result;
    for (std::size_t fault = 0; fault < has_acted_.size(); ++fault) {
      if (!has(fault)) result.push_back(fault);
    }
    return result;
  }

 private:
  std::vector<char> has_acted_;  ///< by number in the schedule
};

}  // namespace dissensus::faults
