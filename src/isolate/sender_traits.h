// What nodes did again and again with their own messages (see SenderTrait).
#pragma once

#include <cstdint>
#include <vector>

#include "isolate/predicate_space.h"
#include "isolate/run_source.h"

namespace dissensus::isolate {

/// Per trait of the space, per node: for how many values the trait shows, at most 255. A message
/// counts when any node received it.
std::vector<std::uint8_t> sender_traits(const PredicateSpace& space, const Run& run);

}  // namespace dissensus::isolate
