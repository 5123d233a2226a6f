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

/// What a message is taken to have been sent because of.
enum class Causality : std::uint8_t {
  recorded,       ///< the handler that sent it, and for timers what set them: the least there is
  program_order,  ///< all that its sender had received: what one who sees only messages must assume
};

struct Dependence {
  std::size_t from;  ///< index into DependenceGraph::deliveries
  std::size_t to;
  bool causal;  ///< the earlier delivery made the later message be sent; else receiver order only
};

/// A delivery depends directly on the previous one at its node and on the one that caused it.
enum class EdgeSet : std::uint8_t {
  reduced,  ///< transitively: exactly the edges without which the order would be weaker
  direct,   ///< both, whether one follows from other edges or not
};

struct DependenceGraph {
  std::vector<std::size_t> deliveries;  ///< indices of records
  std::vector<Dependence> edges;        ///< in order of `to`
};
DependenceGraph dependence_graph(const Trace& trace, Causality causality = Causality::recorded,
                                 EdgeSet edge_set = EdgeSet::reduced);

}  // namespace dissensus::trace
