#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trace/exporters.h"
#include "trace/labels.h"
#include "trace/text.h"

namespace dissensus::trace {
namespace {

/// Long enough to be seen and to carry an arrow; times are whole microseconds, so slices of one
/// microsecond never overlap halfway.
constexpr std::int64_t kStepMicroseconds = 1;

/// Chrome's trace-event format: process 1 is the run, thread node + 1 is a node, thread 0 the
/// world.
class PerfettoExport {
 public:
  PerfettoExport(const Trace& trace, std::ostream& out) : trace_(trace), out_(out) {}

  void write() {
    out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    write_names();
    // Long slices first: among slices that begin together, the outer one must come first.
    write_spans();
    for (const Record& record : trace_.records) {
      if (record.type == EventType::deliver) delivered_.insert(record.cause);
    }
    for (const Record& record : trace_.records) write_record(record);
    out_ << "\n]}\n";
  }

 private:
  static std::uint64_t track_of(const Record& record) {
    return record.node == kNoNode ? 0 : std::uint64_t{record.node} + 1;
  }

  /// `rest` is further JSON, each key preceded by a comma.
  void event(std::string_view phase, std::string_view name, std::uint64_t track, std::int64_t time,
             std::string_view rest) {
    std::string line = first_ ? "\n" : ",\n";
    first_ = false;
    line +=
        fmt::format("{{\"ph\":\"{}\",\"pid\":1,\"tid\":{},\"ts\":{},\"name\":", phase, track, time);
    append_json_text(line, name);
    line += rest;
    line += '}';
    out_ << line;
  }

  void name_track(std::uint64_t track, const std::string& name) {
    event("M", "thread_name", track, 0, fmt::format(",\"args\":{{\"name\":\"{}\"}}", name));
    event("M", "thread_sort_index", track, 0,
          fmt::format(",\"args\":{{\"sort_index\":{}}}", track));
  }

  void write_names() {
    std::string process = ",\"args\":{\"name\":";
    append_json_text(process, trace_.header.scenario_name.empty() ? trace_.header.system
                                                                  : trace_.header.scenario_name);
    event("M", "process_name", 0, 0, process + '}');
    name_track(0, "world");
    for (std::size_t node = 0; node < trace_.header.nodes; ++node) {
      name_track(node + 1, fmt::format("node {}", node));
    }
  }

  void span(std::string_view name, std::string_view category, std::uint64_t track, Time from,
            Time until) {
    event("X", name, track, microseconds_of(from),
          fmt::format(",\"cat\":\"{}\",\"dur\":{}", category, (until - from).count()));
  }

  /// Phases of nodes, and the times in which they are down.
  void write_spans() {
    const Time end = trace_.records.empty() ? Time{} : trace_.records.back().time;
    struct Open {
      std::string name;
      std::string_view category;
      Time since{};
    };
    std::vector<Open> open(trace_.header.nodes);
    const auto close = [&](std::size_t node, Time time) {
      if (!open[node].name.empty() && time > open[node].since) {
        span(open[node].name, open[node].category, node + 1, open[node].since, time);
      }
      open[node].name.clear();
    };
    for (const Record& record : trace_.records) {
      if (record.node >= open.size()) continue;
      if (record.type == EventType::phase) {
        close(record.node, record.time);
        open[record.node] = {name_or_number(trace_.header.phases, record.number, "phase"), "phase",
                             record.time};
      } else if (record.type == EventType::crash) {
        close(record.node, record.time);
        open[record.node] = {"down", "fault", record.time};
      } else if (record.type == EventType::restart) {
        close(record.node, record.time);
      }
    }
    for (std::size_t node = 0; node < open.size(); ++node) close(node, end);
  }

  void write_record(const Record& record) {
    switch (record.type) {
      case EventType::phase:
      case EventType::observe:
        return;
      case EventType::start:
      case EventType::timer:
      case EventType::submit:
      case EventType::send:
      case EventType::deliver:
        write_step(record);
        return;
      default:
        write_instant(record);
    }
  }

  void write_step(const Record& record) {
    const std::int64_t time = microseconds_of(record.time);
    std::string arguments = fmt::format(",\"cat\":\"{}\",\"dur\":{},\"args\":{{\"event\":{}",
                                        to_string(record.type), kStepMicroseconds, record.id);
    if (!record.fields.empty()) {
      arguments += ",\"fields\":";
      append_json_text(arguments, fields_text(trace_.header, record));
    }
    event("X", event_text(trace_.header, record), track_of(record), time, arguments + '}');
    const auto flow = [](EventId send, std::string_view binding) {
      return fmt::format(",\"cat\":\"message\",\"id\":{}{}", send, binding);
    };
    const std::string kind = kind_name(trace_.header, record.kind);
    if (record.type == EventType::send && delivered_.contains(record.id)) {
      event("s", kind, track_of(record), time, flow(record.id, ""));
    } else if (record.type == EventType::deliver && record.cause != 0) {
      event("f", kind, track_of(record), time, flow(record.cause, ",\"bp\":\"e\""));
    }
  }

  void write_instant(const Record& record) {
    const bool global = record.node == kNoNode;
    event("i", event_text(trace_.header, record), track_of(record), microseconds_of(record.time),
          fmt::format(",\"cat\":\"{}\",\"s\":\"{}\",\"args\":{{\"event\":{}}}",
                      to_string(record.type), global ? 'g' : 't', record.id));
  }

  const Trace& trace_;
  std::ostream& out_;
  std::set<EventId> delivered_;
  bool first_ = true;
};

}  // namespace

void export_perfetto(const Trace& trace, std::ostream& out) {
  PerfettoExport(trace, out).write();
}

}  // namespace dissensus::trace
