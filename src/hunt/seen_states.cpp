#include "hunt/seen_states.h"

#include <algorithm>

namespace dissensus::hunt {

std::vector<std::uint64_t> SeenStates::take_new(const std::vector<std::uint64_t>& states) {
  std::vector<std::uint64_t> found;
  for (const std::uint64_t state : states) {
    if (states_.insert(state).second) found.push_back(state);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void SeenStates::note(const HuntParts& parts, const std::vector<std::uint64_t>& states,
                      ItemRecord& record) {
  record.new_states = take_new(states);
  for (std::size_t i = 0; i < parts.objectives.size(); ++i) {
    double& score = record.objectives[i];
    score = parts.objectives[i]->with_new_states(score, record.new_states.size());
  }
}

}  // namespace dissensus::hunt
