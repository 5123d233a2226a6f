#include "history/dependency_graph.h"

#include <algorithm>

#include "history/index.h"

namespace dissensus::history {

void DependencyGraph::finish() {
  // A counting sort by the node that an edge leaves; edges of one node keep their order.
  begin_.assign(std::size_t{nodes_} + 1, 0);
  for (const Edge& edge : edges_) ++begin_[edge.from + 1];
  for (std::size_t i = 0; i < nodes_; ++i) begin_[i + 1] += begin_[i];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  std::vector<Edge> sorted(edges_.size());
  for (const Edge& edge : edges_) sorted[next[edge.from]++] = edge;
  edges_ = std::move(sorted);
}

/// Tarjan's algorithm without recursion.
Components components_of(const DependencyGraph& graph, EdgeMask mask) {
  struct Visit {
    std::uint32_t node;
    std::uint32_t next;  ///< edge
  };
  Components result;
  result.of.assign(graph.nodes(), kNone);
  std::vector<std::uint32_t> index(graph.nodes(), kNone);
  std::vector<std::uint32_t> low(graph.nodes());
  std::vector<std::uint32_t> stack;
  std::vector<Visit> visits;
  std::uint32_t counter = 0;
  const auto enter = [&](std::uint32_t node) {
    index[node] = low[node] = counter++;
    stack.push_back(node);
    visits.push_back({node, 0});
  };
  for (std::uint32_t root = 0; root < graph.nodes(); ++root) {
    if (index[root] != kNone) continue;
    enter(root);
    while (!visits.empty()) {
      const std::uint32_t node = visits.back().node;
      const std::span<const Edge> out = graph.out(node);
      if (visits.back().next < out.size()) {
        const Edge& edge = out[visits.back().next++];
        if ((mask & mask_of(edge.kind)) == 0) continue;
        if (index[edge.to] == kNone) {
          enter(edge.to);
        } else if (result.of[edge.to] == kNone) {
          low[node] = std::min(low[node], index[edge.to]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        std::uint32_t& parent = low[visits.back().node];
        parent = std::min(parent, low[node]);
      }
      if (low[node] != index[node]) continue;
      const auto number = static_cast<std::uint32_t>(result.size.size());
      result.size.push_back(0);
      for (std::uint32_t member = kNone; member != node;) {
        member = stack.back();
        stack.pop_back();
        result.of[member] = number;
        ++result.size.back();
      }
    }
  }
  return result;
}

}  // namespace dissensus::history
