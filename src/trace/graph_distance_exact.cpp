// Exact graph edit distance by A* over partial matchings (Abu-Aisheh et al. 2015).
#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <queue>
#include <vector>

#include "core/assert.h"
#include "trace/graph_distance.h"

namespace dissensus::trace {
namespace {

using VertexSet = std::uint32_t;
constexpr std::uint8_t kDeleted = 0xFF;

std::uint32_t size_of(VertexSet set) {
  return static_cast<std::uint32_t>(std::popcount(set));
}
std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
  return a > b ? a - b : b - a;
}

struct Adjacency {
  explicit Adjacency(const LabelledGraph& graph)
      : labels(graph.labels), all((VertexSet{1} << graph.vertices()) - 1) {
    for (const LabelledGraph::Edge& edge : graph.edges) {
      successors[edge.from] |= VertexSet{1} << edge.to;
    }
  }
  bool has_edge(std::size_t from, std::size_t to) const {
    return (successors[from] >> to & 1) != 0;
  }
  /// Edges with both ends in the set.
  std::uint32_t edges_within(VertexSet set) const {
    std::uint32_t count = 0;
    for (std::size_t vertex = 0; vertex < labels.size(); ++vertex) {
      if ((set >> vertex & 1) != 0) count += size_of(successors[vertex] & set);
    }
    return count;
  }

  const std::vector<std::uint64_t>& labels;
  VertexSet all;
  std::array<VertexSet, kExactVerticesMax> successors{};
};

/// The first `depth` vertices of the first graph are matched or deleted.
struct Partial {
  std::array<std::uint8_t, kExactVerticesMax> partner{};
  std::uint8_t depth = 0;
  VertexSet used = 0;  ///< vertices of the second graph
  std::uint32_t cost = 0;
  std::uint32_t estimate = 0;  ///< cost and a lower bound of what is to come
};
/// Least estimate first; of equal ones the more complete.
struct Later {
  bool operator()(const Partial& a, const Partial& b) const {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.depth < b.depth;
  }
};

class ExactSearch {
 public:
  ExactSearch(const LabelledGraph& first, const LabelledGraph& second)
      : first_(first), second_(second) {}

  std::uint32_t run() {
    Partial nothing;
    nothing.estimate = least_remaining(nothing);
    open_.push(nothing);
    for (;;) {
      const Partial best = open_.top();
      open_.pop();
      // A complete matching's lower bound is its exact remaining cost.
      if (best.depth == first_.labels.size()) return best.estimate;
      for (std::size_t vertex = 0; vertex < second_.labels.size(); ++vertex) {
        if ((best.used >> vertex & 1) == 0) push(best, static_cast<std::uint8_t>(vertex));
      }
      push(best, kDeleted);
    }
  }

 private:
  void push(Partial partial, std::uint8_t partner) {
    const std::size_t vertex = partial.depth;
    if (partner == kDeleted) {
      partial.cost += 1;
    } else {
      partial.cost += first_.labels[vertex] == second_.labels[partner] ? 0 : 1;
      partial.used |= VertexSet{1} << partner;
    }
    for (std::size_t earlier = 0; earlier < vertex; ++earlier) {
      const std::uint8_t its_partner = partial.partner[earlier];
      const bool exist = partner != kDeleted && its_partner != kDeleted;
      const bool forward = exist && second_.has_edge(its_partner, partner);
      const bool backward = exist && second_.has_edge(partner, its_partner);
      partial.cost += first_.has_edge(earlier, vertex) != forward ? 1 : 0;
      partial.cost += first_.has_edge(vertex, earlier) != backward ? 1 : 0;
    }
    partial.partner[vertex] = partner;
    ++partial.depth;
    partial.estimate = partial.cost + least_remaining(partial);
    open_.push(partial);
  }

  /// Vertices and edges that are still open on both sides, if all labels and edges that could be
  /// matched were.
  std::uint32_t least_remaining(const Partial& partial) const {
    const VertexSet done = (VertexSet{1} << partial.depth) - 1;
    std::vector<std::uint64_t> labels_first(first_.labels.begin() + partial.depth,
                                            first_.labels.end());
    std::vector<std::uint64_t> labels_second;
    for (std::size_t vertex = 0; vertex < second_.labels.size(); ++vertex) {
      if ((partial.used >> vertex & 1) == 0) labels_second.push_back(second_.labels[vertex]);
    }
    std::sort(labels_first.begin(), labels_first.end());
    std::sort(labels_second.begin(), labels_second.end());
    std::vector<std::uint64_t> common;
    std::set_intersection(labels_first.begin(), labels_first.end(), labels_second.begin(),
                          labels_second.end(), std::back_inserter(common));
    const std::size_t vertices =
        std::max(labels_first.size(), labels_second.size()) - common.size();
    const std::uint32_t edges_first = first_.edges_within(first_.all) - first_.edges_within(done);
    const std::uint32_t edges_second =
        second_.edges_within(second_.all) - second_.edges_within(partial.used);
    return static_cast<std::uint32_t>(vertices) + difference(edges_first, edges_second);
  }

  Adjacency first_;
  Adjacency second_;
  std::priority_queue<Partial, std::vector<Partial>, Later> open_;
};

}  // namespace

std::uint32_t exact_edit_distance(const LabelledGraph& first, const LabelledGraph& second) {
  DISSENSUS_ASSERT(std::max(first.vertices(), second.vertices()) <= kExactVerticesMax,
                   "exact_edit_distance : graphs of at most kExactVerticesMax vertices");
  return ExactSearch(first, second).run();
}

}  // namespace dissensus::trace
