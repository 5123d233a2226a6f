#include "trace/labels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dissensus/options.h"

namespace dissensus::trace {
namespace {

std::string decision_text(const Header& header, const Record& record, std::string_view verb) {
  return fmt::format("{} {} {} = {}", verb, name_or_number(header.levels, record.detail, "level"),
                     instance_text(header, record.detail, record.number),
                     value_text(header, record.detail, record.value));
}

std::string message_text(const Header& header, const Record& record, std::string_view verb) {
  return fmt::format("{} {} to {}", verb, kind_name(header, record.kind), record.peer);
}

std::string submission_text(const Record& record) {
  std::string text = "request";
  for (const auto& [name, value] : record.request) {
    text += fmt::format(" {}={}", name, field_text(value));
  }
  return text;
}

/// In the order of sim::DiskEvent.
std::string disk_text(const Record& record) {
  static constexpr std::array<std::string_view, 6> kWords{
      "disk: {} bytes synced", "disk: {} bytes written through", "disk: fails",
      "disk: {} bytes read",   "disk: a wrong bit is read",      "disk: {} unsynced bytes at risk"};
  if (record.detail >= kWords.size()) return fmt::format("disk event {}", record.detail);
  return fmt::format(fmt::runtime(kWords[record.detail]), record.number);
}

}  // namespace

std::string name_or_number(const std::vector<std::string>& names, std::uint64_t index,
                           std::string_view what) {
  if (index < names.size()) return names[index];
  return fmt::format("{} {}", what, index);
}

std::string kind_name(const Header& header, MessageKind kind) {
  return kind == kNoKind ? "message" : name_or_number(header.kinds, kind, "kind");
}

std::string instance_text(const Header& header, Level level, std::uint64_t instance) {
  LevelDescription description;
  if (level < header.level_scope_bits.size()) {
    description.scope_bits = header.level_scope_bits[level];
  }
  return instance_name(description, instance);
}

std::string short_digest(const Digest& digest) {
  std::string text = to_string(digest);
  if (digest.high != 0) {
    text.resize(6);
  } else if (text.size() > 10) {
    text.replace(4, text.size() - 8, "…");
  }
  return text;
}

std::string value_text(const Header& header, Level level, const Digest& value) {
  if (level < header.level_values.size()) {
    for (const auto& [named, name] : header.level_values[level]) {
      if (named == value) return name;
    }
  }
  return short_digest(value);
}

bool is_final(const Header& header, Level level) {
  return level >= header.level_final.size() || header.level_final[level];
}

bool has_agreement(const Header& header, Level level) {
  return level >= header.level_agreement.size() || header.level_agreement[level];
}

std::string field_text(const FieldValue& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return std::to_string(*natural);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* digest = std::get_if<Digest>(&value)) return short_digest(*digest);
  if (const auto* nodes = std::get_if<NodeSet>(&value)) {
    return fmt::format("{{{}}}", fmt::join(*nodes, ","));
  }
  return std::get<std::string>(value);
}

std::string fields_text(const Header& header, const Record& record) {
  std::string text;
  if (record.kind >= header.kind_fields.size()) return text;
  const auto& described = header.kind_fields[record.kind];
  for (std::size_t index = 0; index < record.fields.size() && index < described.size(); ++index) {
    if (index != 0) text += ' ';
    text += described[index].name;
    text += '=';
    text += field_text(record.fields[index]);
  }
  return text;
}

namespace {
/// "client 3: ok read, [1,7]": the text is {"f":"read","value":[1,7]}.
std::string operation_text(const Record& record) {
  static constexpr std::string_view kKinds[] = {"invoke", "ok", "fail", "info"};
  std::string_view rest = record.text;
  const auto skip = [&rest](std::string_view what) {
    if (rest.starts_with(what)) rest.remove_prefix(what.size());
  };
  skip("{\"f\":\"");
  const std::string_view function = rest.substr(0, rest.find('"'));
  rest.remove_prefix(std::min(rest.size(), function.size()));
  skip("\",\"value\":");
  if (rest.ends_with('}')) rest.remove_suffix(1);
  return fmt::format("client {}: {} {} {}", static_cast<std::int64_t>(record.number),
                     kKinds[record.detail & (kFinalOperation - 1)], function, rest);
}
}  // namespace

std::string event_text(const Header& header, const Record& record) {
  switch (record.type) {
    case EventType::start:
      return "starts";
    case EventType::send:
      return message_text(header, record, "sends");
    case EventType::deliver:
      return fmt::format("{} from {}", kind_name(header, record.kind), record.peer);
    case EventType::drop:
      return fmt::format("{} ({})", message_text(header, record, "loses"),
                         to_string(static_cast<DropReason>(record.detail)));
    case EventType::duplicate:
      return message_text(header, record, "duplicated:");
    case EventType::timer:
      return fmt::format("timer {}", record.number);
    case EventType::submit:
      return submission_text(record);
    case EventType::propose:
      return decision_text(header, record, "proposes");
    case EventType::decide:
      return decision_text(header, record, "decides");
    case EventType::phase:
      return fmt::format("phase {}", name_or_number(header.phases, record.number, "number"));
    case EventType::round:
      return fmt::format("round {}", record.number);
    case EventType::observe:
      return fmt::format("{} = {}", name_or_number(header.observables, record.detail, "observable"),
                         static_cast<std::int64_t>(record.number));
    case EventType::crash:
      return "crashes";
    case EventType::restart:
      return "restarts";
    case EventType::partition:
      return fmt::format("partition {}", record.text);
    case EventType::heal:
      return "partition heals";
    case EventType::mutate:
      return message_text(header, record, "changed:");
    case EventType::phase_end:
      return "end of the fault phase";
    case EventType::log:
      return record.text;
    case EventType::disk:
      return disk_text(record);
    case EventType::fault:
      return record.text;
    case EventType::fault_end:
      return "the fault is over";
    case EventType::broken:
      return fmt::format("broken: {} ({})", record.text, record.number);
    case EventType::operation:
      return operation_text(record);
  }
  return std::string(to_string(record.type));
}

std::string time_text(Time time) {
  return dissensus::to_string(time.time_since_epoch());
}

}  // namespace dissensus::trace
