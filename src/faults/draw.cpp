#include "faults/draw.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"

namespace dissensus::faults {

namespace {

/// Bell numbers 0 to n, from the recurrence B(m + 1) = sum of C(m, k) B(k).
std::vector<double> bell_numbers(std::size_t n) {
  std::vector<double> bell{1};
  std::vector<double> choose{1};
  for (std::size_t m = 0; m < n; ++m) {
    double sum = 0;
    for (std::size_t k = 0; k <= m; ++k) sum += choose[k] * bell[k];
    bell.push_back(sum);
    choose.push_back(1);
    for (std::size_t k = m; k > 0; --k) choose[k] += choose[k - 1];
  }
  return bell;
}

/// How many others are in the group of one of n nodes: k of them in C(n - 1, k) B(n - 1 - k) ways.
std::size_t random_companions(std::size_t n, const std::vector<double>& bell, Random& random) {
  double rest = random.unit() * bell[n];
  double choose = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    rest -= choose * bell[n - 1 - k];
    if (rest < 0) return k;
    choose = choose * static_cast<double>(n - 1 - k) / static_cast<double>(k + 1);
  }
  return n - 1;
}

}  // namespace

NodeSet random_draws(NodeSet from, std::size_t count, Random& random) {
  NodeSet result;
  while (result.size() < count && !from.empty()) {
    const std::size_t index = random.below(from.size());
    result.push_back(from[index]);
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return result;
}

NodeSet random_subset(const NodeSet& from, Random& random) {
  DISSENSUS_ASSERT(!from.empty(), "random_subset : there is something to draw from");
  NodeSet result;
  while (result.empty()) {
    for (const NodeId node : from) {
      if ((random.next() >> 63) != 0) result.push_back(node);
    }
  }
  return result;
}

std::vector<NodeSet> random_partition(std::size_t nodes, Random& random) {
  DISSENSUS_ASSERT(nodes <= kPartitionNodesMax, "random_partition : not too many nodes");
  const std::vector<double> bell = bell_numbers(nodes);
  NodeSet left = other_nodes(kNoNode, nodes);
  std::vector<NodeSet> groups;
  while (!left.empty()) {
    const NodeId founder = left.front();
    const std::size_t companions = random_companions(left.size(), bell, random);
    left.erase(left.begin());
    NodeSet group = random_draws(left, companions, random);
    for (const NodeId node : group) std::erase(left, node);
    group.push_back(founder);
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace dissensus::faults
