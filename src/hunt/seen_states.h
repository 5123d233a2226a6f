// The abstract states that a hunt has reached: what makes a run a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "hunt/hunt.h"
#include "hunt/item.h"

namespace dissensus::hunt {

class SeenStates {
 public:
  std::size_t size() const { return states_.size(); }
  /// Of runs that were judged before.
  void know(const std::vector<std::uint64_t>& states) {
    states_.insert(states.begin(), states.end());
  }
  /// Those of `states` that are new, ascending.
  std::vector<std::uint64_t> take_new(const std::vector<std::uint64_t>& states);
  /// What is new of a run, and what its objectives make of it.
  void note(const HuntParts& parts, const std::vector<std::uint64_t>& states, ItemRecord& record);

 private:
  std::unordered_set<std::uint64_t> states_;  // only ever asked for membership and size
};

}  // namespace dissensus::hunt
