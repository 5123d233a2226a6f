#include "diff/moments.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "trace/labels.h"

namespace dissensus::diff {

namespace {

using trace::Record;

/// The record that changed the message of a delivery, if one did.
const Record* change_of(const Steps& steps, const Step& step) {
  if (step.send == kNone) return nullptr;
  const Record& arrived = steps.trace.records[step.record];
  const Record& send = steps.trace.records[step.send];
  if (arrived.content == send.content) return nullptr;
  for (std::size_t i = step.send + 1; i < step.record; ++i) {
    const Record& record = steps.trace.records[i];
    if (record.type == EventType::mutate && record.cause == send.id &&
        record.content == arrived.content) {
      return &record;
    }
  }
  return nullptr;
}

bool is_report(EventType type) {
  return type == EventType::propose || type == EventType::decide || type == EventType::phase ||
         type == EventType::round || type == EventType::broken || type == EventType::operation;
}

std::string what_came(const Steps& steps, const Step& step) {
  const Record& record = steps.trace.records[step.record];
  const trace::Header& header = steps.trace.header;
  if (record.type != EventType::deliver) return trace::event_text(header, record);
  std::string text = fmt::format("{} from n{}", trace::kind_name(header, record.kind), record.peer);
  if (step.send == kNone) return text;
  Record shown = steps.trace.records[step.send];
  shown.fields = arrived_fields(steps, step);
  if (const std::string fields = trace::fields_text(header, shown); !fields.empty()) {
    text += fmt::format(" ({})", fields);
  }
  return text + fmt::format(", sent at {}", seconds(shown.time - Time{}));
}

}  // namespace

std::string seconds(Duration duration) {
  return fmt::format("{:.3f} s", static_cast<double>(duration.count()) / 1e6);
}

const std::vector<FieldValue>& arrived_fields(const Steps& steps, const Step& step) {
  const Record* const changed = change_of(steps, step);
  return changed != nullptr ? changed->fields : steps.trace.records[step.send].fields;
}

std::vector<std::string> differing_fields(const trace::Header& header, MessageKind kind,
                                          const std::vector<FieldValue>& before,
                                          const std::vector<FieldValue>& after) {
  std::vector<std::string> lines;
  if (kind >= header.kind_fields.size()) return lines;
  const auto& described = header.kind_fields[kind];
  for (std::size_t i = 0; i < std::min({before.size(), after.size(), described.size()}); ++i) {
    if (before[i] == after[i]) continue;
    lines.push_back(fmt::format("{}: {} -> {}", described[i].name, trace::field_text(before[i]),
                                trace::field_text(after[i])));
  }
  return lines;
}

std::vector<std::string> changed_on_the_way(const Steps& steps, const Step& step) {
  const Record* const changed = change_of(steps, step);
  if (changed == nullptr) return {};
  return differing_fields(steps.trace.header, changed->kind, steps.trace.records[step.send].fields,
                          changed->fields);
}

std::vector<std::string> deeds_of(const Steps& steps, std::size_t index, std::size_t next) {
  const Step& step = steps.all[index];
  const trace::Header& header = steps.trace.header;
  std::vector<std::string> deeds;
  std::map<MessageKind, std::vector<NodeId>> sent;
  const std::size_t onward = next == kNone ? kNone : steps.all[next].send;
  for (const std::size_t effect : step.effects) {
    const Record& record = steps.trace.records[effect];
    if (is_report(record.type)) {
      deeds.push_back(trace::event_text(header, record));
    } else if (record.type == EventType::send && effect != onward) {
      sent[record.kind].push_back(record.peer);
    } else if (effect == onward) {
      deeds.push_back(
          fmt::format("sends {} to n{}", trace::kind_name(header, record.kind), record.peer));
    }
  }
  // Who reports something says more by it than by all its messages.
  if (!deeds.empty()) sent.clear();
  for (const auto& [kind, peers] : sent) {
    std::string to;
    if (peers.size() <= 4) {
      for (const NodeId peer : peers) to += fmt::format("{}n{}", to.empty() ? "" : ", ", peer);
    } else {
      to = fmt::format("{} nodes", peers.size());
    }
    deeds.push_back(fmt::format("sends {} to {}", trace::kind_name(header, kind), to));
  }
  return deeds;
}

Moment describe_step(const Steps& steps, std::size_t index, std::size_t next) {
  const Step& step = steps.all[index];
  const Record& record = steps.trace.records[step.record];
  Moment moment;
  moment.node = step.node;
  moment.time = record.time;
  moment.event = record.id;
  moment.came = what_came(steps, step);
  for (const std::string& change : changed_on_the_way(steps, step)) {
    moment.came += fmt::format("; changed on the way, {}", change);
  }
  moment.did = deeds_of(steps, index, next);
  if (step.send != kNone) moment.send = steps.trace.records[step.send].id;
  for (const std::size_t effect : step.effects) {
    const Record& said = steps.trace.records[effect];
    if (said.type == EventType::log) moment.log.push_back(said.text);
  }
  return moment;
}

}  // namespace dissensus::diff
