#include "trace/diagram.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "trace/labels.h"

namespace dissensus::trace {
namespace {

constexpr std::size_t kDisputesMax = 3;
constexpr std::size_t kMarksMax = 4000;

/// Joins sends with what became of them.
std::vector<Arrow> join_messages(const Trace& trace, Time end_of_trace) {
  std::vector<Arrow> arrows;
  std::map<EventId, std::size_t> by_send;
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    const Record& record = trace.records[index];
    if (record.type == EventType::send) {
      by_send[record.id] = arrows.size();
      arrows.push_back(
          {index, index, Arrow::End::under_way, false, false, record.time, end_of_trace});
      continue;
    }
    const auto found = by_send.find(record.cause);
    if (found == by_send.end()) continue;
    if (record.type == EventType::mutate) arrows[found->second].is_mutated = true;
    if (record.type != EventType::deliver && record.type != EventType::drop) continue;
    Arrow ended = arrows[found->second];
    ended.is_copy = ended.how != Arrow::End::under_way;
    ended.how = record.type == EventType::deliver ? Arrow::End::delivered : Arrow::End::dropped;
    ended.end = index;
    ended.ended = record.time;
    if (ended.is_copy) {
      arrows.push_back(ended);
    } else {
      arrows[found->second] = ended;
    }
  }
  return arrows;
}

/// Deliveries and other events through which a node proposed, decided or moved on.
std::set<EventId> telling_events(const Trace& trace) {
  std::set<EventId> events;
  for (const Record& record : trace.records) {
    if (record.type == EventType::propose || record.type == EventType::decide ||
        record.type == EventType::round) {
      events.insert(record.cause);
    }
  }
  return events;
}

/// Keeps at most `max` arrows: those that tell most, then an even sample of the others.
std::size_t thin_out(const Trace& trace, std::size_t max, std::vector<Arrow>& arrows) {
  if (arrows.size() <= max) return 0;
  const std::set<EventId> telling = telling_events(trace);
  std::array<std::vector<std::size_t>, 4> by_importance;
  for (std::size_t index = 0; index < arrows.size(); ++index) {
    const Arrow& arrow = arrows[index];
    const bool is_faulty = arrow.how == Arrow::End::dropped || arrow.is_mutated || arrow.is_copy;
    const bool is_telling = telling.contains(trace.records[arrow.end].id);
    by_importance[arrow.is_marked ? 0 : is_telling ? 1 : is_faulty ? 2 : 3].push_back(index);
  }
  std::vector<std::size_t> kept;
  for (const auto& candidates : by_importance) {
    const std::size_t count = std::min(candidates.size(), max - kept.size());
    for (std::size_t pick = 0; pick < count; ++pick) {
      kept.push_back(candidates[pick * candidates.size() / count]);
    }
  }
  std::sort(kept.begin(), kept.end());
  const std::size_t left_out = arrows.size() - kept.size();
  std::vector<Arrow> remaining;
  for (const std::size_t index : kept) remaining.push_back(arrows[index]);
  arrows = std::move(remaining);
  return left_out;
}

void collect_arrows(const Trace& trace, const DiagramOptions& options, Time end_of_trace,
                    Diagram& diagram) {
  std::set<MessageKind> kinds;
  for (Arrow& arrow : join_messages(trace, end_of_trace)) {
    const MessageKind kind = trace.records[arrow.send].kind;
    kinds.insert(kind);
    if (arrow.sent > diagram.until || arrow.ended < diagram.from) continue;
    if (options.hidden_kinds.contains(kind)) {
      ++diagram.arrows_hidden;
    } else {
      arrow.is_marked = options.marked.contains(trace.records[arrow.send].id);
      diagram.arrows.push_back(arrow);
    }
  }
  diagram.kinds.assign(kinds.begin(), kinds.end());
  diagram.arrows_left_out = thin_out(trace, options.messages_max, diagram.arrows);
}

std::string dispute_text(const Header& header, Level level, std::uint64_t instance,
                         const std::vector<std::pair<Digest, std::set<NodeId>>>& values) {
  std::string text = fmt::format(
      "{} {} was decided differently{}: ", name_or_number(header.levels, level, "level"),
      instance_text(header, level, instance),
      is_final(header, level) ? "" : " (may still be resolved)");
  for (std::size_t index = 0; index < values.size(); ++index) {
    text += fmt::format("{}{} by n{}", index == 0 ? "" : ", ",
                        value_text(header, level, values[index].first),
                        fmt::join(values[index].second, " n"));
  }
  return text;
}

/// Variants are numbered over the whole trace, so that a window keeps the colours.
void collect_decisions(const Trace& trace, Diagram& diagram) {
  std::map<std::pair<Level, std::uint64_t>, std::vector<std::pair<Digest, std::set<NodeId>>>> seen;
  const auto variant_of = [&seen](const Record& record) {
    auto& values = seen[{record.detail, record.number}];
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == record.value; });
    const auto variant = static_cast<std::size_t>(found - values.begin());
    if (found == values.end()) values.push_back({record.value, {}});
    values[variant].second.insert(record.node);
    return variant;
  };
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    const Record& record = trace.records[index];
    if (record.type != EventType::decide || !has_agreement(trace.header, record.detail)) continue;
    const std::size_t variant = variant_of(record);
    if (record.time < diagram.from || record.time > diagram.until) continue;
    diagram.decisions.push_back({index, variant, false});
  }
  for (DecisionMark& mark : diagram.decisions) {
    const Record& record = trace.records[mark.record];
    mark.is_disputed = seen[{record.detail, record.number}].size() > 1;
  }
  std::size_t disputes = 0;
  for (const auto& [place, values] : seen) {
    if (values.size() < 2 || ++disputes > kDisputesMax) continue;
    diagram.disputes.push_back(dispute_text(trace.header, place.first, place.second, values));
  }
  if (disputes > kDisputesMax) {
    diagram.disputes.push_back(
        fmt::format("... and {} more instances were decided differently", disputes - kDisputesMax));
  }
}

/// Keeps an even sample; returns how many are left out.
template <class T>
std::size_t sample(std::vector<T>& items, std::size_t max) {
  if (items.size() <= max) return 0;
  const std::size_t count = items.size();
  for (std::size_t pick = 0; pick < max; ++pick) items[pick] = items[pick * count / max];
  items.resize(max);
  return count - max;
}

/// A limit on everything that is drawn on the node lines.
void limit_marks(Diagram& diagram) {
  diagram.marks_left_out += sample(diagram.marks, kMarksMax);
  // A sample of phases would show phases that never were.
  if (diagram.phases.size() > kMarksMax) {
    diagram.marks_left_out += diagram.phases.size();
    diagram.phases.clear();
  }
  if (diagram.decisions.size() <= kMarksMax) return;
  const auto undisputed =
      std::stable_partition(diagram.decisions.begin(), diagram.decisions.end(),
                            [](const DecisionMark& mark) { return mark.is_disputed; });
  std::vector<DecisionMark> others(undisputed, diagram.decisions.end());
  diagram.decisions.erase(undisputed, diagram.decisions.end());
  diagram.marks_left_out += sample(diagram.decisions, kMarksMax);
  diagram.marks_left_out += sample(others, kMarksMax - diagram.decisions.size());
  diagram.decisions.insert(diagram.decisions.end(), others.begin(), others.end());
}

/// Follows states that last: down, phases, partitions.
class SpanCollector {
 public:
  SpanCollector(const Trace& trace, Diagram& diagram)
      : diagram_(diagram), down_(trace.header.nodes), phase_(trace.header.nodes) {
    for (const Record& record : trace.records) add(record);
    for (std::size_t node = 0; node < trace.header.nodes; ++node) {
      close(down_[node], diagram.until, true, diagram.down);
      close(phase_[node], diagram.until, true, diagram.phases);
    }
    for (auto& [id, span] : partitions_) close(span, diagram.until, true, diagram.partitions);
  }

 private:
  void add(const Record& record) {
    const bool has_node = record.node < down_.size();
    if (record.type == EventType::crash && has_node) {
      close(phase_[record.node], record.time, false, diagram_.phases);
      down_[record.node] = Span{record.time, {}, record.node, 0, {}, false};
    } else if (record.type == EventType::restart && has_node) {
      close(down_[record.node], record.time, false, diagram_.down);
    } else if (record.type == EventType::phase && has_node) {
      close(phase_[record.node], record.time, false, diagram_.phases);
      phase_[record.node] = Span{record.time, {}, record.node, record.number, {}, false};
    } else if (record.type == EventType::partition || record.type == EventType::fault) {
      partitions_[record.id] = Span{record.time, {}, kNoNode, 0, record.text, false};
    } else if (record.type == EventType::heal || record.type == EventType::fault_end) {
      close(partitions_[record.number], record.time, false, diagram_.partitions);
    } else if (record.type == EventType::phase_end) {
      diagram_.faults_end = record.time;
    }
  }

  void close(std::optional<Span>& span, Time until, bool is_open, std::vector<Span>& spans) {
    if (!span) return;
    const Time from = std::max(span->from, diagram_.from);
    const Time to = std::min(until, diagram_.until);
    if (from <= to) {
      spans.push_back(*span);
      spans.back().from = from;
      spans.back().until = to;
      spans.back().is_open = is_open || until > diagram_.until;
    }
    span.reset();
  }

  Diagram& diagram_;
  std::vector<std::optional<Span>> down_;
  std::vector<std::optional<Span>> phase_;
  std::map<EventId, std::optional<Span>> partitions_;
};

}  // namespace

Diagram make_diagram(const Trace& trace, const DiagramOptions& options) {
  const Time end_of_trace = trace.records.empty() ? Time{} : trace.records.back().time;
  Diagram diagram;
  diagram.from = std::clamp(options.from, Time{}, end_of_trace);
  diagram.until = std::clamp(options.until, diagram.from, end_of_trace);
  collect_arrows(trace, options, end_of_trace, diagram);
  collect_decisions(trace, diagram);
  for (std::size_t index = 0; index < trace.records.size(); ++index) {
    const Record& record = trace.records[index];
    const bool is_mark = record.type == EventType::propose || record.type == EventType::submit ||
                         record.type == EventType::round;
    if (!is_mark || record.time < diagram.from || record.time > diagram.until) continue;
    diagram.marks.push_back(index);
  }
  const SpanCollector collector(trace, diagram);
  limit_marks(diagram);
  return diagram;
}

}  // namespace dissensus::trace
