#include "trace/trace.h"

#include <array>

#include <fmt/format.h>

#include "dissensus/node.h"

#include "core/assert.h"

namespace dissensus::trace {
namespace {

constexpr std::array<std::string_view, 3> kDetailNames{"hash", "decisions", "everything"};

FieldValue canonical(FieldValue value) {
  if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr && *number >= 0) {
    return static_cast<std::uint64_t>(*number);
  }
  return value;
}

std::vector<FieldValue> fields_of(const Message& message, const SystemDescription& description) {
  DISSENSUS_ASSERT(message.kind() < description.kinds.size(), "to_record : the kind is described");
  const PayloadDescription& payload =
      description.payloads[description.kinds[message.kind()].payload];
  std::vector<FieldValue> fields;
  fields.reserve(payload.getters.size());
  for (const auto& getter : payload.getters) fields.push_back(canonical(getter(message.object())));
  return fields;
}

}  // namespace

std::string_view to_string(Detail detail) {
  return kDetailNames[static_cast<std::size_t>(detail)];
}

bool parse_detail(std::string_view text, Detail& detail) {
  for (std::size_t index = 0; index < kDetailNames.size(); ++index) {
    if (kDetailNames[index] != text) continue;
    detail = static_cast<Detail>(index);
    return true;
  }
  return false;
}

void describe(const SystemDescription& description, std::size_t nodes, Header& header) {
  header.system = description.name;
  header.nodes = nodes;
  header.kinds.clear();
  header.kind_fields.clear();
  for (const KindDescription& kind : description.kinds) {
    header.kinds.push_back(kind.name);
    header.kind_fields.push_back(description.payloads[kind.payload].fields);
  }
  header.levels.clear();
  header.level_scope_bits.clear();
  header.level_final.clear();
  header.level_agreement.clear();
  header.level_values.clear();
  for (const LevelDescription& level : description.levels) {
    header.levels.push_back(level.name);
    header.level_scope_bits.push_back(level.scope_bits);
    header.level_final.push_back(level.final);
    header.level_agreement.push_back(level.agreement);
    header.level_values.push_back(level.value_names);
  }
  header.phases = description.phases;
  header.observables = description.observables;
}

void TraceHash::add_other(const Event& event) {
  if (event.type == EventType::log) return;
  Digest content;
  MessageKind kind = kNoKind;
  if (event.message != nullptr) {
    content = event.message->digest();
    kind = event.message->kind();
  }
  // Three products that do not wait for each other, then one that joins them.
  const std::uint64_t when_and_where = mix64(
      state_ ^ place_of(event, kind), static_cast<std::uint64_t>(microseconds_of(event.time)));
  const std::uint64_t what = mix64(rotate(state_, 21) ^ event.number, event.value.low);
  const std::uint64_t rest = mix64(rotate(state_, 42) ^ event.value.high, content.low);
  // Adding the state keeps the past even where a factor happens to be zero.
  state_ = mix64(when_and_where + rest, what ^ rotate(content.high, 32)) + rotate(state_, 7);
}

std::string to_hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

Record to_record(const Event& event, const SystemDescription& description) {
  Record record;
  record.id = event.id;
  record.cause = event.cause;
  record.time = event.time;
  record.type = event.type;
  record.detail = event.detail;
  record.node = event.node;
  record.peer = event.peer;
  record.number = event.number;
  record.value = event.value;
  record.text = event.text;
  if (event.message != nullptr) {
    record.kind = event.message->kind();
    record.content = event.message->digest();
    if (event.type == EventType::send || event.type == EventType::mutate) {
      record.fields = fields_of(*event.message, description);
    }
  }
  if (event.request != nullptr) {
    record.request = event.request->fields();
    for (auto& [name, value] : record.request) value = canonical(std::move(value));
  }
  return record;
}

}  // namespace dissensus::trace
