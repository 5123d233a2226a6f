#include "systems/process/message.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "systems/process/workload.h"

namespace dissensus::process {

namespace {

using Json = nlohmann::json;

bool is_numeric(SemanticType type) {
  switch (type) {
    case SemanticType::boolean:
    case SemanticType::number:
    case SemanticType::sequence:
    case SemanticType::round:
    case SemanticType::time:
    case SemanticType::amount:
    case SemanticType::flags:
      return true;
    default:
      return false;
  }
}

/// A field of a body; what is not there, or of another type than declared, is 0 or empty.
FieldValue field_of(const ProcessMessage& message, const std::string& name, SemanticType type) {
  const Json body = Json::parse(*message.body);
  const auto found = body.find(name);
  if (is_numeric(type)) {
    if (found == body.end()) return std::int64_t{0};
    if (found->is_boolean()) return std::int64_t{found->get<bool>() ? 1 : 0};
    return found->is_number_integer() ? found->get<std::int64_t>() : std::int64_t{0};
  }
  if (found == body.end()) return std::string();
  return found->is_string() ? found->get<std::string>() : found->dump();
}

void set_field(ProcessMessage& message, const std::string& name, const FieldValue& value) {
  Json body = Json::parse(*message.body);
  Json& place = body[name];
  if (const auto* text = std::get_if<std::string>(&value)) {
    // What was a number or a list was shown as its text.
    Json parsed =
        place.is_string() || place.is_null() ? Json(*text) : Json::parse(*text, nullptr, false);
    place = parsed.is_discarded() ? Json(*text) : std::move(parsed);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (place.is_boolean()) {
      place = *whole != 0;
    } else {
      place = *whole;
    }
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    place = *natural;
  }
  message.body = std::make_shared<std::string>(body.dump());
}

void add_kind(SystemDescription& description, const DeclaredMessage& message) {
  auto builder = description.message<ProcessMessage>(message.type);
  for (const FieldDescription& field : message.fields) {
    builder.field(
        field.name, field.type,
        [name = field.name, type = field.type](const ProcessMessage& content) {
          return field_of(content, name, type);
        },
        [name = field.name](ProcessMessage& content, const FieldValue& value) {
          set_field(content, name, value);
        });
  }
  builder.field("body", SemanticType::text, [](const ProcessMessage& content) -> FieldValue {
    return content.body->substr(0, 400);
  });
}

void add_kinds(SystemDescription& description, const Settings& settings) {
  add_kind(description, {"other", {}});
  for (const DeclaredMessage& message : settings.messages) {
    if (description.find_kind(message.type) == kNoKind) add_kind(description, message);
  }
  std::vector<DeclaredMessage> known = service_messages(settings.services);
  if (settings.workload) {
    for (DeclaredMessage& message : workload_messages(settings.workload->kind)) {
      known.push_back(std::move(message));
    }
  }
  for (const DeclaredMessage& message : known) {
    if (description.find_kind(message.type) == kNoKind) add_kind(description, message);
  }
}

}  // namespace

SystemDescription describe(const Settings& settings) {
  SystemDescription description;
  description.name = "process";
  description.summary = "nodes as programs, in any language";
  add_kinds(description, settings);
  description.levels = settings.levels;
  if (description.levels.empty()) description.levels = {{.name = "value"}};
  description.phases = settings.phases;
  description.anchors = settings.anchors;
  description.observables = settings.observables;
  description.steps = settings.steps;
  description.invariants = program_invariants();
  for (const InvariantDescription& invariant : settings.invariants) {
    description.invariants.push_back(invariant);
  }
  description.time_scale = settings.time_scale;
  return description;
}

MessageKind kind_of_type(const SystemDescription& description, std::string_view type) {
  const MessageKind kind = description.find_kind(type);
  return kind == kNoKind ? kOther : kind;
}

}  // namespace dissensus::process
