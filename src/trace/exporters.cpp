#include "trace/exporters.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "core/assert.h"
#include "trace/dependence.h"
#include "trace/labels.h"
#include "trace/record_json.h"
#include "trace/text.h"

namespace dissensus::trace {
namespace {

constexpr std::string_view kShivizParser = R"((?<event>.*)\n(?<host>\S*) (?<clock>{.*}))";

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Events of the network or of the world as a whole are no steps of a process.
bool is_step_of_node(const Record& record) {
  switch (record.type) {
    case EventType::drop:
    case EventType::duplicate:
    case EventType::mutate:
    case EventType::partition:
    case EventType::heal:
    case EventType::fault:
    case EventType::fault_end:
    case EventType::phase_end:
      return false;
    default:
      return record.node != kNoNode;
  }
}

using VectorClock = std::vector<std::uint64_t>;

std::string clock_text(const VectorClock& clock) {
  std::string text = "{";
  for (std::size_t node = 0; node < clock.size(); ++node) {
    if (clock[node] == 0) continue;
    text += fmt::format("{}\"n{}\":{}", text.size() == 1 ? "" : ",", node, clock[node]);
  }
  return text + '}';
}

/// One line: a log text may hold anything, and ShiViz reads line by line.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

/// How often each send is delivered: its clock can be forgotten after the last time.
std::map<EventId, std::size_t> deliveries_per_send(const Trace& trace) {
  std::map<EventId, std::size_t> counts;
  for (const Record& record : trace.records) {
    if (record.type == EventType::deliver) ++counts[record.cause];
  }
  return counts;
}

}  // namespace

void export_json(const Trace& trace, std::ostream& out) {
  std::string text = "{\"header\":";
  append_header(text, trace.header);
  text += ",\n\"events\":[";
  out << text;
  bool first = true;
  for (const Record& record : trace.records) {
    text = first ? "\n" : ",\n";
    first = false;
    append_record(text, record, trace.header);
    out << text;
  }
  text = "],\n\"footer\":";
  append_footer(text, trace.footer);
  text += "}\n";
  out << text;
}

void export_dot(const Trace& trace, std::ostream& out, std::size_t deliveries_max) {
  const DependenceGraph graph = dependence_graph(trace);
  const std::size_t total = graph.deliveries.size();
  const std::size_t first = total - std::min(total, deliveries_max);
  std::vector<std::string> clusters(trace.header.nodes);
  for (std::size_t delivery = first; delivery < total; ++delivery) {
    const Record& record = trace.records[graph.deliveries[delivery]];
    const std::string label = fmt::format("n{}: {}", record.node, event_text(trace.header, record));
    clusters[record.node] +=
        fmt::format("    e{} [label={}, tooltip={}];\n", record.id, dot_text(label),
                    dot_text(fmt::format("event {} at {}", record.id, time_text(record.time))));
  }
  if (first > 0) {
    out << fmt::format("// The last {} of {} deliveries; `dissensus export --to dot` has all.\n",
                       deliveries_max, total);
  }
  out << "// Dependence graph: deliveries, transitively reduced. Solid edges: the message was "
         "sent\n"
         "// because of the earlier delivery. Dashed edges: same receiver, this order.\n"
         "digraph dependence {\n"
         "  rankdir=LR;\n"
         "  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=10, height=0.3];\n"
         "  edge [arrowsize=0.7];\n";
  for (std::size_t node = 0; node < clusters.size(); ++node) {
    if (clusters[node].empty()) continue;
    out << fmt::format("  subgraph cluster_n{0} {{\n    label=\"node {0}\"; color=\"#bbbbbb\";\n",
                       node);
    out << clusters[node] << "  }\n";
  }
  for (const Dependence& edge : graph.edges) {
    if (edge.from < first || edge.to < first) continue;
    out << fmt::format("  e{} -> e{}{};\n", trace.records[graph.deliveries[edge.from]].id,
                       trace.records[graph.deliveries[edge.to]].id,
                       edge.causal ? "" : " [style=dashed, color=\"#888888\"]");
  }
  out << "}\n";
}

void export_shiviz(const Trace& trace, std::ostream& out) {
  // ShiViz takes the parser from the first line of a file and the (here empty) delimiter between
  // executions from the second.
  out << kShivizParser << "\n\n";
  std::map<EventId, std::size_t> remaining = deliveries_per_send(trace);
  std::map<EventId, VectorClock> sent;
  std::vector<VectorClock> clocks(trace.header.nodes, VectorClock(trace.header.nodes));
  for (const Record& record : trace.records) {
    if (!is_step_of_node(record)) continue;
    DISSENSUS_ASSERT(record.node < clocks.size(), "export_shiviz : the node is one of the run");
    VectorClock& clock = clocks[record.node];
    ++clock[record.node];
    if (const auto send = sent.find(record.cause);
        record.type == EventType::deliver && send != sent.end()) {
      for (std::size_t node = 0; node < clock.size(); ++node) {
        clock[node] = std::max(clock[node], send->second[node]);
      }
      if (--remaining[record.cause] == 0) sent.erase(send);
    }
    if (record.type == EventType::send && remaining.contains(record.id)) sent[record.id] = clock;
    const std::string fields = fields_text(trace.header, record);
    out << one_line(fmt::format("{} {}{}{}", time_text(record.time),
                                event_text(trace.header, record), fields.empty() ? "" : " ",
                                fields))
        << fmt::format("\nn{} {}\n", record.node, clock_text(clock));
  }
}

}  // namespace dissensus::trace
