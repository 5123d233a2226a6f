// The fault space of a scenario as searches see it: single faults that come, go and vary, and plans
// in which they belong together.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dissensus/search.h"

#include "faults/fault_space.h"

namespace dissensus::faults {

/// Beside FaultStrategy: what a strategy may implement as well, which knows ways in which faults
/// belong together.
class StoryTeller {
 public:
  virtual ~StoryTeller() = default;
  virtual std::vector<Fault> tell(Story story, std::size_t most, Random& random) const = 0;
};

/// Of liars, varied in their round, or in whom and how they hit; of the families, whose plans are
/// stories; or of both: each draw is of one of the two, by their sizes.
std::shared_ptr<const FaultStrategy> make_fault_strategy(const FaultSpace& space, std::size_t nodes,
                                                         std::size_t exposed);

}  // namespace dissensus::faults
