#include "trace/program_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dissensus::trace {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint64_t program_label(std::size_t type, NodeId from, NodeId to) {
  return std::uint64_t{type} << 32 | std::uint64_t{from} << 16 | to;
}

/// A vertex with the labels of its edges, each once and in order: direction, label of the other
/// end.
struct Vertex {
  std::uint64_t label = 0;
  std::size_t degree = 0;
  std::vector<std::pair<bool, std::uint64_t>> edges;
};

std::vector<Vertex> vertices_of(const LabelledGraph& graph) {
  std::vector<Vertex> vertices(graph.vertices());
  for (std::size_t i = 0; i < vertices.size(); ++i) vertices[i].label = graph.labels[i];
  for (const LabelledGraph::Edge& edge : graph.edges) {
    vertices[edge.from].edges.emplace_back(true, graph.labels[edge.to]);
    vertices[edge.to].edges.emplace_back(false, graph.labels[edge.from]);
  }
  for (Vertex& vertex : vertices) {
    vertex.degree = vertex.edges.size();
    std::sort(vertex.edges.begin(), vertex.edges.end());
  }
  return vertices;
}

/// Edges of one vertex that the other has no equal of, of both.
std::size_t unmatched(const Vertex& first, const Vertex& second) {
  const auto has = [](const Vertex& vertex, const auto& edge) {
    return std::binary_search(vertex.edges.begin(), vertex.edges.end(), edge);
  };
  std::size_t count = 0;
  for (const auto& edge : first.edges) count += has(second, edge) ? 0 : 1;
  for (const auto& edge : second.edges) count += has(first, edge) ? 0 : 1;
  return count;
}

double edge_cost(std::size_t degree, std::size_t other_degree, std::size_t without_partner) {
  const auto difference =
      static_cast<double>(std::max(degree, other_degree) - std::min(degree, other_degree));
  return std::max(difference, 0.5 * static_cast<double>(without_partner));
}

using ByLabel = std::unordered_map<std::uint64_t, std::vector<const Vertex*>>;

double one_sided(const std::vector<Vertex>& from, const ByLabel& to,
                 const std::set<std::size_t>& degrees) {
  double sum = 0;
  for (const Vertex& vertex : from) {
    double least = 1 + static_cast<double>(vertex.degree) / 2;
    const auto same = to.find(vertex.label);
    if (same != to.end()) {
      for (const Vertex* other : same->second) {
        const double edges = edge_cost(vertex.degree, other->degree, unmatched(vertex, *other));
        least = std::min(least, edges / 4);
        if (least == 0) break;
      }
    }
    for (const std::size_t degree : degrees) {
      const double edges = edge_cost(vertex.degree, degree, vertex.degree + degree);
      least = std::min(least, (1 + edges / 2) / 2);
    }
    sum += least;
  }
  return sum;
}

}  // namespace

LabelledGraph program_graph(const Trace& trace, std::span<const std::size_t> type_of_kind) {
  LabelledGraph graph;
  std::vector<std::uint32_t> last(trace.header.nodes, kNone);  // delivery, by receiver
  std::map<std::uint64_t, std::deque<std::uint32_t>> sends;    // what the sender had seen, by label
  for (const Record& record : trace.records) {
    if (record.type == EventType::send) {
      sends[program_label(type_of_kind[record.kind], record.node, record.peer)].push_back(
          last[record.node]);
    } else if (record.type == EventType::deliver) {
      const std::uint64_t label =
          program_label(type_of_kind[record.kind], record.peer, record.node);
      const auto vertex = static_cast<std::uint32_t>(graph.labels.size());
      graph.labels.push_back(label);
      if (last[record.node] != kNone) graph.edges.push_back({last[record.node], vertex});
      std::deque<std::uint32_t>& open = sends[label];
      if (!open.empty()) {
        if (open.front() != kNone) graph.edges.push_back({open.front(), vertex});
        open.pop_front();
      }
      last[record.node] = vertex;
    }
  }
  std::sort(graph.edges.begin(), graph.edges.end());
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
  return graph;
}

double program_edit_distance(const LabelledGraph& first, const LabelledGraph& second) {
  const std::vector<Vertex> vertices_1 = vertices_of(first);
  const std::vector<Vertex> vertices_2 = vertices_of(second);
  const auto by_label = [](const std::vector<Vertex>& vertices) {
    ByLabel result;
    for (const Vertex& vertex : vertices) result[vertex.label].push_back(&vertex);
    return result;
  };
  const auto degrees = [](const std::vector<Vertex>& vertices) {
    std::set<std::size_t> result;
    for (const Vertex& vertex : vertices) result.insert(vertex.degree);
    return result;
  };
  const double sum = one_sided(vertices_1, by_label(vertices_2), degrees(vertices_2)) +
                     one_sided(vertices_2, by_label(vertices_1), degrees(vertices_1));
  const auto [smaller, larger] = std::minmax({first.vertices(), second.vertices()});
  return std::max(sum, static_cast<double>(larger - smaller));
}

}  // namespace dissensus::trace
