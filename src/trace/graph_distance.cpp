#include "trace/graph_distance.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dissensus::trace {
namespace {

using Degrees = GraphProfile::Degrees;

std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

/// Costs are counted in quarters: the Hausdorff distance halves edges between their two ends, and
/// substitutions between the two sides.
constexpr std::uint64_t kQuarters = 4;

/// Edges that must be inserted or deleted around a vertex when another takes its place.
std::uint64_t edge_difference(const Degrees& a, const Degrees& b) {
  return difference(a.in, b.in) + difference(a.out, b.out);
}

/// Half of a relabelling.
constexpr std::uint64_t kRelabelQuarters = 2;

/// Sum over the vertices of one graph of the least cost of deleting it or of putting some vertex of
/// the other graph in its place.
std::uint64_t one_sided_quarters(const GraphProfile& from, const GraphProfile& to) {
  std::uint64_t sum = 0;
  auto candidate = to.classes().begin();
  for (const GraphProfile::VertexClass& vertex : from.classes()) {
    std::uint64_t least = kQuarters + 2 * (vertex.degrees.in + vertex.degrees.out);
    while (candidate != to.classes().end() && candidate->label < vertex.label) ++candidate;
    for (auto same = candidate; same != to.classes().end() && same->label == vertex.label; ++same) {
      least = std::min(least, edge_difference(vertex.degrees, same->degrees));
    }
    if (least > kRelabelQuarters) {
      for (const Degrees& other : to.degree_pairs()) {
        least = std::min(least, kRelabelQuarters + edge_difference(vertex.degrees, other));
      }
    }
    sum += least * vertex.vertices;
  }
  return sum;
}

constexpr std::uint32_t kUnmatched = ~std::uint32_t{0};

/// Vertices by label, then by number.
std::vector<std::pair<std::uint64_t, std::uint32_t>> by_label(const LabelledGraph& graph) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
  sorted.reserve(graph.vertices());
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    sorted.emplace_back(graph.labels[vertex], vertex);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

struct Matching {
  std::vector<std::uint32_t> partner;  ///< per vertex of the first graph
  std::size_t relabelled = 0;
};

/// Vertices left over on both sides are matched with each other, again in order.
Matching match_in_order(const LabelledGraph& first, const LabelledGraph& second) {
  Matching matching;
  matching.partner.assign(first.vertices(), kUnmatched);
  std::vector<std::uint32_t> left_first;
  std::vector<std::uint32_t> left_second;
  const auto vertices_first = by_label(first);
  const auto vertices_second = by_label(second);
  auto one = vertices_first.begin();
  auto other = vertices_second.begin();
  while (one != vertices_first.end() || other != vertices_second.end()) {
    const bool only_first = other == vertices_second.end() ||
                            (one != vertices_first.end() && one->first < other->first);
    const bool only_second =
        !only_first && (one == vertices_first.end() || other->first < one->first);
    if (only_first) {
      left_first.push_back((one++)->second);
    } else if (only_second) {
      left_second.push_back((other++)->second);
    } else {
      matching.partner[(one++)->second] = (other++)->second;
    }
  }
  std::sort(left_first.begin(), left_first.end());
  std::sort(left_second.begin(), left_second.end());
  matching.relabelled = std::min(left_first.size(), left_second.size());
  for (std::size_t index = 0; index < matching.relabelled; ++index) {
    matching.partner[left_first[index]] = left_second[index];
  }
  return matching;
}

}  // namespace

GraphProfile::GraphProfile(const LabelledGraph& graph)
    : vertices_(graph.vertices()), edges_(graph.edges.size()) {
  std::vector<Degrees> degrees(graph.vertices());
  for (const LabelledGraph::Edge& edge : graph.edges) {
    ++degrees[edge.from].out;
    ++degrees[edge.to].in;
  }
  std::map<std::pair<std::uint64_t, Degrees>, std::uint32_t> counts;
  for (std::size_t vertex = 0; vertex < degrees.size(); ++vertex) {
    ++counts[{graph.labels[vertex], degrees[vertex]}];
  }
  classes_.reserve(counts.size());
  for (const auto& [key, count] : counts) classes_.push_back({key.first, key.second, count});
  std::sort(degrees.begin(), degrees.end());
  degrees.erase(std::unique(degrees.begin(), degrees.end()), degrees.end());
  degree_pairs_ = std::move(degrees);
}

double hausdorff_edit_distance(const GraphProfile& first, const GraphProfile& second) {
  const std::uint64_t sizes =
      difference(first.vertices(), second.vertices()) + difference(first.edges(), second.edges());
  const std::uint64_t quarters =
      one_sided_quarters(first, second) + one_sided_quarters(second, first);
  return static_cast<double>(std::max(quarters, kQuarters * sizes)) / kQuarters;
}

double hausdorff_edit_distance(const LabelledGraph& first, const LabelledGraph& second) {
  return hausdorff_edit_distance(GraphProfile(first), GraphProfile(second));
}

std::uint64_t edit_path_cost(const LabelledGraph& first, const LabelledGraph& second) {
  const Matching matching = match_in_order(first, second);
  std::uint64_t kept_edges = 0;
  for (const LabelledGraph::Edge& edge : first.edges) {
    const std::uint32_t from = matching.partner[edge.from];
    const std::uint32_t to = matching.partner[edge.to];
    if (from == kUnmatched || to == kUnmatched) continue;
    kept_edges +=
        std::binary_search(second.edges.begin(), second.edges.end(), LabelledGraph::Edge{from, to})
            ? 1
            : 0;
  }
  return matching.relabelled + difference(first.vertices(), second.vertices()) +
         first.edges.size() + second.edges.size() - 2 * kept_edges;
}

std::size_t edit_distance_max(const LabelledGraph& first, const LabelledGraph& second) {
  return std::max(first.vertices(), second.vertices()) + first.edges.size() + second.edges.size();
}

}  // namespace dissensus::trace
