// Views of a trace for people and for other tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <set>
#include <string>

#include "trace/trace.h"

namespace dissensus::trace {

/// One JSON document: {"header": ..., "events": [...], "footer": ...}.
void export_json(const Trace& trace, std::ostream& out);
/// Graphviz: the dependence graph of thesis 2.3.1 over deliveries, transitively reduced. Of more
/// deliveries than `deliveries_max` the last are kept, and the file says so.
void export_dot(const Trace& trace, std::ostream& out, std::size_t deliveries_max = SIZE_MAX);
/// ShiViz log: one line of text and one vector clock per event.
void export_shiviz(const Trace& trace, std::ostream& out);
/// Chrome / Perfetto trace events: a track per node, flows for messages.
void export_perfetto(const Trace& trace, std::ostream& out);

struct DiagramOptions {
  Time from{};
  Time until = Time::max();
  std::set<MessageKind> hidden_kinds;
  std::size_t messages_max = 400;  ///< more are left out, and the diagram says how many
  /// Sends whose messages stand out: they are drawn bold and in full, the others pale.
  std::set<EventId> marked;
};
/// SVG space-time diagram: nodes as lines, messages as arrows, decisions and faults marked.
void export_svg(const Trace& trace, const DiagramOptions& options, std::ostream& out);

}  // namespace dissensus::trace
