#include "trace/parting.h"

#include <fmt/format.h>

#include "trace/labels.h"

namespace dissensus::trace {

namespace {

std::size_t next_event(const std::vector<Record>& records, std::size_t at) {
  while (at < records.size() && records[at].type == EventType::log) ++at;
  return at;
}

std::string happening(const Header& header, const std::vector<Record>& records, std::size_t at) {
  if (at >= records.size()) return "the run is over";
  const Record& record = records[at];
  const std::string what = event_text(header, record);
  return record.node == kNoNode ? what : fmt::format("n{} {}", record.node, what);
}

}  // namespace

bool is_same_event(const Record& a, const Record& b) {
  return a.id == b.id && a.time == b.time && a.type == b.type && a.node == b.node &&
         a.peer == b.peer && a.kind == b.kind && a.content == b.content && a.value == b.value &&
         a.number == b.number && a.detail == b.detail;
}

std::optional<Parting> parting_of(const std::vector<Record>& first,
                                  const std::vector<Record>& second) {
  Parting at;
  for (;; ++at.first, ++at.second) {
    at.first = next_event(first, at.first);
    at.second = next_event(second, at.second);
    const bool is_over = at.first == first.size() || at.second == second.size();
    if (is_over && at.first == first.size() && at.second == second.size()) return std::nullopt;
    if (is_over || !is_same_event(first[at.first], second[at.second])) return at;
  }
}

std::string to_text(const Parting& parting, const Header& header, const std::vector<Record>& first,
                    const std::vector<Record>& second) {
  const Record& event =
      parting.first < first.size() ? first[parting.first] : second[parting.second];
  std::string then = happening(header, first, parting.first);
  std::string now = happening(header, second, parting.second);
  if (then == now) {
    // What differs is not in the words: when it happened, or what a message says.
    then += fmt::format(" at {}", time_text(first[parting.first].time));
    now += fmt::format(" at {}", time_text(second[parting.second].time));
    if (then == now) now += " with another content";
  }
  return fmt::format("event {} at {}: then {}, now {}", event.id, time_text(event.time), then, now);
}

}  // namespace dissensus::trace
