// The dependence graph of a trace (thesis 2.3.1): vertices are deliveries; one depends on another
// if it was received by the same node later, or if it was, directly or not, sent because of it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace dissensus::trace {

inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

/// Index of the record with this id; kNoIndex when it was not recorded.
std::size_t find_record(const Trace& trace, EventId id);

/// For every record: the index of the record during whose handling, or through which, it came
/// about; kNoIndex for the first causes and for causes that were not recorded.
std::vector<std::size_t> cause_indices(const Trace& trace);

struct Dependence {
  std::size_t from;  ///< index into DependenceGraph::deliveries
  std::size_t to;
  bool causal;  ///< the earlier delivery made the later message be sent; else receiver order only
};

/// Transitively reduced: exactly the edges without which the order would be weaker.
struct DependenceGraph {
  std::vector<std::size_t> deliveries;  ///< indices of records
  std::vector<Dependence> edges;        ///< in order of `to`
};
DependenceGraph dependence_graph(const Trace& trace);

}  // namespace dissensus::trace
