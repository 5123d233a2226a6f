// The Byzantine part of a scenario's space ([schedule.byzantine]) as searches see it: single faults
// that come, go and vary, within the limits that hold for a whole plan.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dissensus/search.h"

#include "faults/byzantine_space.h"
#include "faults/environment_space.h"

namespace dissensus::search {

/// Beside FaultStrategy: what a strategy may implement as well, which knows ways in which faults
/// belong together.
class StoryTeller {
 public:
  virtual ~StoryTeller() = default;
  virtual std::vector<faults::Fault> tell(faults::Story story, std::size_t most,
                                          Random& random) const = 0;
};

/// Faults of drawn plans; varied in their round, or in whom and how they hit.
std::shared_ptr<const FaultStrategy> make_fault_strategy(const faults::ByzantineSpace& space,
                                                         std::size_t nodes);
/// Faults of the environment, and plans in which they belong together.
std::shared_ptr<const FaultStrategy> make_fault_strategy(const faults::EnvironmentSpace& space,
                                                         std::size_t nodes);
/// Both: each draw is of one of the two, by their sizes.
std::shared_ptr<const FaultStrategy> make_fault_strategy(
    const faults::ByzantineSpace& byzantine, const faults::EnvironmentSpace& environment,
    std::size_t nodes);
/// The most faults that a plan of the space can hold.
std::size_t plan_size_max(const faults::ByzantineSpace& space, std::size_t nodes);

/// The faults, in their order, that the space admits beside those before them: no more of a type
/// and no more liars than a drawn plan would have. More liars than that would prove nothing.
std::vector<faults::Fault> admitted(const std::vector<faults::Fault>& plan,
                                    const faults::ByzantineSpace& space, std::size_t nodes);

}  // namespace dissensus::search
