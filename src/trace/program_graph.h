// The graph of a trace, and the distance between two of them, as DiscoTest's program has them; ours
// (trace_graph.h, graph_distance.h) follow the thesis's text. docs/results/representation.md puts
// both side by side.
#pragma once

#include <cstddef>
#include <span>

#include "trace/trace_graph.h"

namespace dissensus::trace {

/// A vertex per delivery, labelled with message type, sender and receiver; proposals of all
/// sequence numbers are one type. An edge comes from the delivery before it at the receiver, and
/// one from the last delivery that the sender had seen when it sent. Which send belongs to a
/// delivery is guessed: the oldest one of the same sender, receiver and type that has not arrived.
/// `type_of_kind` says the type of each message kind. Needs Detail::everything.
LabelledGraph program_graph(const Trace& trace, std::span<const std::size_t> type_of_kind);

/// Hausdorff edit distance in which edges count as equal when the labels of their ends are. Edges
/// of vertices with different labels are taken as different.
double program_edit_distance(const LabelledGraph& first, const LabelledGraph& second);

}  // namespace dissensus::trace
