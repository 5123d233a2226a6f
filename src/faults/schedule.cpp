#include "faults/schedule.h"

#include "core/assert.h"

namespace dissensus::faults {

GeneSpace::Gene GeneSpace::gene(std::size_t index) const {
  DISSENSUS_ASSERT(index < size(), "GeneSpace::gene : index within the space");
  const std::size_t pairs = nodes * (nodes - 1);
  const std::size_t pair = index % pairs;
  const std::size_t from = pair / (nodes - 1);
  const std::size_t to = pair % (nodes - 1);
  return {static_cast<NodeId>(from), static_cast<NodeId>(to >= from ? to + 1 : to),
          static_cast<MessageKind>(index / pairs)};
}

}  // namespace dissensus::faults
