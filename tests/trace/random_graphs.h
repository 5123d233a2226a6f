// Random labelled graphs for the tests of distances.
#pragma once

#include "dissensus/random.h"

#include "trace/trace_graph.h"

namespace dissensus::trace {

/// Directed and simple, of at most `vertices_max` vertices, with few labels and any density.
inline LabelledGraph random_graph(std::size_t vertices_max, Random& random) {
  LabelledGraph graph;
  graph.labels.resize(random.below(vertices_max + 1));
  const std::uint64_t labels = 1 + random.below(4);
  for (std::uint64_t& label : graph.labels) label = random.below(labels);
  const double density = random.unit();
  for (std::uint32_t from = 0; from < graph.vertices(); ++from) {
    for (std::uint32_t to = 0; to < graph.vertices(); ++to) {
      if (from != to && random.chance(density)) graph.edges.push_back({from, to});
    }
  }
  return graph;
}

/// The graph with a few random edits: neighbours are where bounds are tight.
inline LabelledGraph edited(const LabelledGraph& graph, std::size_t edits, Random& random) {
  LabelledGraph result = graph;
  for (std::size_t edit = 0; edit < edits; ++edit) {
    if (!result.edges.empty() && random.chance(0.5)) {
      result.edges.erase(result.edges.begin() +
                         static_cast<std::ptrdiff_t>(random.below(result.edges.size())));
    } else if (!result.labels.empty()) {
      result.labels[random.below(result.labels.size())] = random.below(4);
    }
  }
  return result;
}

}  // namespace dissensus::trace
