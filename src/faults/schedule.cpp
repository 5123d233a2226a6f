#include "faults/schedule.h"

#include <algorithm>

#include "core/assert.h"
#include "faults/kinds.h"

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

NodeSet other_nodes(NodeId node, std::size_t nodes) {
  NodeSet result;
  for (std::size_t other = 0; other < nodes; ++other) {
    if (other != node) result.push_back(static_cast<NodeId>(other));
  }
  return result;
}

NodeSet byzantine_nodes(const std::vector<Fault>& faults) {
  NodeSet result;
  for (const Fault& fault : faults) {
    const auto& liar = fault.kind().liar;
    if (!liar) continue;
    if (const std::optional<NodeId> node = liar(fault.value())) result.push_back(*node);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace dissensus::faults
