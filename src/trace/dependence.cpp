#include "trace/dependence.h"

#include <algorithm>

#include "core/assert.h"

namespace dissensus::trace {
namespace {

/// For each record the last delivery (a vertex) that it came about through, itself included.
std::vector<std::size_t> origin_vertices(const Trace& trace, const std::vector<std::size_t>& causes,
                                         const std::vector<std::size_t>& vertex_of_record) {
  std::vector<std::size_t> origin(trace.records.size(), kNoIndex);
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    if (vertex_of_record[index] != kNoIndex) {
      origin[index] = vertex_of_record[index];
    } else if (causes[index] != kNoIndex) {
      origin[index] = origin[causes[index]];
    }
  }
  return origin;
}

/// For each record the last delivery at its node, itself included.
std::vector<std::size_t> latest_vertices(const Trace& trace,
                                         const std::vector<std::size_t>& vertex_of_record) {
  std::vector<std::size_t> latest_at_node(trace.header.nodes, kNoIndex);
  std::vector<std::size_t> latest(trace.records.size(), kNoIndex);
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    const NodeId node = trace.records[index].node;
    if (node >= trace.header.nodes) continue;  // an event of no node
    if (vertex_of_record[index] != kNoIndex) latest_at_node[node] = vertex_of_record[index];
    latest[index] = latest_at_node[node];
  }
  return latest;
}

/// Vector clocks over deliveries: how many deliveries of each node lie in a vertex's past. With
/// them, "u is before v" costs one comparison.
class Clocks {
 public:
  Clocks(std::size_t vertices, std::size_t nodes) : nodes_(nodes), counts_(vertices * nodes) {}
  void join(std::size_t vertex, std::size_t past) {
    for (std::size_t node = 0; node < nodes_; ++node) {
      std::uint32_t& count = counts_[vertex * nodes_ + node];
      count = std::max(count, counts_[past * nodes_ + node]);
    }
  }
  std::uint32_t& at(std::size_t vertex, NodeId node) { return counts_[vertex * nodes_ + node]; }

 private:
  std::size_t nodes_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace

std::size_t find_record(const Trace& trace, EventId id) {
  if (id == 0) return kNoIndex;
  const auto found =
      std::lower_bound(trace.records.begin(), trace.records.end(), id,
                       [](const Record& record, EventId wanted) { return record.id < wanted; });
  if (found == trace.records.end() || found->id != id) return kNoIndex;
  return static_cast<std::size_t>(found - trace.records.begin());
}

std::vector<std::size_t> cause_indices(const Trace& trace) {
  std::vector<std::size_t> causes(trace.records.size(), kNoIndex);
  for (std::size_t index = 0; index < causes.size(); ++index) {
    const std::size_t cause = find_record(trace, trace.records[index].cause);
    if (cause < index) causes[index] = cause;
  }
  return causes;
}

DependenceGraph dependence_graph(const Trace& trace, Causality causality, EdgeSet edge_set) {
  DependenceGraph graph;
  std::vector<std::size_t> vertex_of_record(trace.records.size(), kNoIndex);
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    if (trace.records[index].type != EventType::deliver) continue;
    DISSENSUS_ASSERT(trace.records[index].node < trace.header.nodes,
                     "dependence_graph : the receiver is a node of the run");
    vertex_of_record[index] = graph.deliveries.size();
    graph.deliveries.push_back(index);
  }
  const std::vector<std::size_t> causes = cause_indices(trace);
  const std::vector<std::size_t> origin = causality == Causality::recorded
                                              ? origin_vertices(trace, causes, vertex_of_record)
                                              : latest_vertices(trace, vertex_of_record);
  Clocks clocks(graph.deliveries.size(), trace.header.nodes);
  std::vector<std::size_t> last_at_node(trace.header.nodes, kNoIndex);
  const auto receiver = [&](std::size_t vertex) {
    return trace.records[graph.deliveries[vertex]].node;
  };
  const auto is_before = [&](std::size_t earlier, std::size_t later) {
    return clocks.at(later, receiver(earlier)) >= clocks.at(earlier, receiver(earlier));
  };
  for (std::size_t vertex = 0; vertex < graph.deliveries.size(); ++vertex) {
    const NodeId node = receiver(vertex);
    const std::size_t send = causes[graph.deliveries[vertex]];
    const std::size_t cause = send == kNoIndex ? kNoIndex : origin[send];
    const std::size_t previous = last_at_node[node];
    // Two predecessors at most, so an edge is redundant exactly when its start lies before the
    // other predecessor.
    const bool reducible = edge_set == EdgeSet::reduced && cause != kNoIndex &&
                           previous != kNoIndex && cause != previous;
    if (cause != kNoIndex && !(reducible && is_before(cause, previous))) {
      graph.edges.push_back({cause, vertex, true});
    }
    if (previous != kNoIndex && previous != cause && !(reducible && is_before(previous, cause))) {
      graph.edges.push_back({previous, vertex, false});
    }
    if (cause != kNoIndex) clocks.join(vertex, cause);
    if (previous != kNoIndex) clocks.join(vertex, previous);
    // A node's own count is that of its previous delivery plus one, whatever the causes knew.
    clocks.at(vertex, node) = previous == kNoIndex ? 1 : clocks.at(previous, node) + 1;
    last_at_node[node] = vertex;
  }
  return graph;
}

}  // namespace dissensus::trace
