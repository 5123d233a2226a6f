#include "trace/trace_graph.h"

#include <algorithm>
#include <numeric>

namespace dissensus::trace {
namespace {

std::uint64_t label_of(const Record& delivery, EventLabel label) {
  const std::uint64_t event =
      std::uint64_t{delivery.kind} << 32 | std::uint64_t{delivery.peer} << 16 | delivery.node;
  if (label == EventLabel::event) return event;
  return DigestBuilder().add(event).add(delivery.content).finish().low;
}

/// For each delivery its number among all, by receiver first.
std::vector<std::uint32_t> numbers_by_receiver(const Trace& trace,
                                               const std::vector<std::size_t>& deliveries) {
  std::vector<std::uint32_t> next(trace.header.nodes + 1, 0);
  for (const std::size_t delivery : deliveries) ++next[trace.records[delivery].node + 1u];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> numbers;
  numbers.reserve(deliveries.size());
  for (const std::size_t delivery : deliveries) {
    numbers.push_back(next[trace.records[delivery].node]++);
  }
  return numbers;
}

}  // namespace

LabelledGraph trace_graph(const Trace& trace, const TraceGraphOptions& options) {
  const DependenceGraph dependence = dependence_graph(trace, options.causality, options.edge_set);
  const std::vector<std::uint32_t> number = numbers_by_receiver(trace, dependence.deliveries);
  LabelledGraph graph;
  graph.labels.resize(number.size());
  for (std::size_t vertex = 0; vertex < number.size(); ++vertex) {
    graph.labels[number[vertex]] =
        label_of(trace.records[dependence.deliveries[vertex]], options.label);
  }
  graph.edges.reserve(dependence.edges.size());
  for (const Dependence& edge : dependence.edges) {
    graph.edges.push_back({number[edge.from], number[edge.to]});
  }
  std::sort(graph.edges.begin(), graph.edges.end());
  return graph;
}

}  // namespace dissensus::trace
