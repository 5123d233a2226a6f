// A trace as a labelled graph (thesis 3.2.2): what distances between traces are measured on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/dependence.h"
#include "trace/trace.h"

namespace dissensus::trace {

/// Directed, with labelled vertices and unlabelled edges; no loops, no parallel edges.
struct LabelledGraph {
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  std::vector<std::uint64_t> labels;  ///< per vertex
  std::vector<Edge> edges;            ///< in ascending order

  std::size_t vertices() const { return labels.size(); }
  friend bool operator==(const LabelledGraph&, const LabelledGraph&) = default;
};

/// Which deliveries of two traces count as the same event.
enum class EventLabel : std::uint8_t {
  event,    ///< same sender, receiver and message kind, as in genotypes
  content,  ///< and the same content
};

/// The defaults are the thesis's graph: its interceptor saw messages only, and it reports twice as
/// many edges as vertices, which is what direct edges give.
struct TraceGraphOptions {
  EventLabel label = EventLabel::event;
  Causality causality = Causality::program_order;
  EdgeSet edge_set = EdgeSet::direct;
};

/// The dependence graph. Vertices are numbered by receiver, then by the order of delivery there. A
/// receiver's deliveries are totally ordered, so two runs are the same trace (up to the order of
/// independent events) exactly when their graphs are equal.
/// Needs a trace recorded with Detail::everything; uses header.nodes and the records.
LabelledGraph trace_graph(const Trace& trace, const TraceGraphOptions& options = {});

}  // namespace dissensus::trace
