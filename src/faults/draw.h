// Uniform draws of sets of nodes and of partitions.
#pragma once

#include <vector>

#include "dissensus/ids.h"
#include "dissensus/random.h"
#include "dissensus/schedule.h"

namespace dissensus::faults {

/// The most nodes for which partitions can be drawn.
inline constexpr std::size_t kPartitionNodesMax = 200;

/// Uniform over all partitions of the nodes into groups, the whole as one group included. Groups
/// are in the order of their smallest member.
std::vector<NodeSet> random_partition(std::size_t nodes, Random& random);
/// Uniform over all subsets with at least one member, in the order of `from`.
NodeSet random_subset(const NodeSet& from, Random& random);
/// `count` of `from`, in the order of drawing.
NodeSet random_draws(NodeSet from, std::size_t count, Random& random);

}  // namespace dissensus::faults
