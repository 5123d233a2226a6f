#include "systems/process/message.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <nlohmann/json.hpp>

#include "systems/process/workload.h"

namespace dissensus::process {

namespace {

using Json = nlohmann::json;

/// In a field that names a node: somebody else, or nobody.
constexpr std::int64_t kNobody = -1;

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

std::int64_t node_number(const Json& name, const Settings& settings) {
  if (!name.is_string()) return kNobody;
  const NodeId id = node_named(settings, name.get_ref<const std::string&>());
  return id == kNoNode ? kNobody : std::int64_t{id};
}

std::int64_t whole_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  // Beyond this a fraction has no whole part that fits.
  if (!value.is_number() || std::abs(value.get<double>()) > 9e15) return 0;
  return std::llround(value.get<double>());
}

/// A field of a body; what is not there, or of another type than declared, is 0, nobody or empty.
FieldValue field_of(const ProcessMessage& message, const FieldDescription& field,
                    const Settings& settings) {
  const Json body = Json::parse(*message.body);
  const auto found = body.find(field.name);
  const Json value = found == body.end() ? Json() : *found;
  if (is_numeric(field.type)) return whole_of(value);
  if (field.type == SemanticType::node) return node_number(value, settings);
  if (field.type == SemanticType::node_set) {
    NodeSet nodes;
    for (const Json& name : value.is_array() ? value : Json::array()) {
      const std::int64_t number = node_number(name, settings);
      if (number != kNobody) nodes.push_back(static_cast<NodeId>(number));
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  if (value.is_null()) return std::string();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What was no text was shown as one. A text that says nothing makes a small change, so that the
/// program is lied to and not merely confused by a value of another sort.
Json read_shown(const Json& before, const std::string& text) {
  if (before.is_string() || before.is_null()) return text;
  Json parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_discarded()) return parsed;
  Json changed = before;
  if (before.is_boolean()) return !before.get<bool>();
  if (before.is_number_integer()) return before.get<std::int64_t>() + 1;
  if (before.is_number()) return before.get<double>() + 1;
  if (!changed.empty()) changed.erase(std::prev(changed.end()));
  return changed;
}

Json changed_number(const Json& before, const FieldDescription& field, std::int64_t whole,
                    const Settings& settings) {
  if (field.type == SemanticType::node) {
    if (whole < 0 || static_cast<std::size_t>(whole) >= settings.total()) return before;
    return node_name(settings, static_cast<NodeId>(whole));
  }
  if (before.is_boolean()) return whole != 0;
  if (before.is_number_float()) return static_cast<double>(whole);
  return whole;
}

void set_field(ProcessMessage& message, const FieldDescription& field, const FieldValue& value,
               const Settings& settings) {
  Json body = Json::parse(*message.body);
  Json& place = body[field.name];
  if (const auto* text = std::get_if<std::string>(&value)) {
    place = read_shown(place, *text);
  } else if (const auto* nodes = std::get_if<NodeSet>(&value)) {
    place = Json::array();
    for (const NodeId node : *nodes) {
      if (node < settings.total()) place.push_back(node_name(settings, node));
    }
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    place = changed_number(place, field, *whole, settings);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    place = changed_number(place, field, static_cast<std::int64_t>(*natural), settings);
  }
  message.body = std::make_shared<std::string>(body.dump());
}

/// The description keeps the names of nodes, and may outlive the settings that it was made from.
void add_kind(SystemDescription& description, const DeclaredMessage& message,
              const std::shared_ptr<const Settings>& names) {
  auto builder = description.message<ProcessMessage>(message.type);
  for (const FieldDescription& field : message.fields) {
    builder.field(
        field.name, field.type,
        [field, names](const ProcessMessage& content) { return field_of(content, field, *names); },
        [field, names](ProcessMessage& content, const FieldValue& value) {
          set_field(content, field, value, *names);
        });
  }
  builder.field("body", SemanticType::text, [](const ProcessMessage& content) -> FieldValue {
    return content.body->substr(0, 400);
  });
}

void add_kinds(SystemDescription& description, const Settings& settings) {
  const auto names = std::make_shared<const Settings>(settings);
  add_kind(description, {"other", {}}, names);
  std::vector<DeclaredMessage> known = settings.messages;
  const auto add_all = [&known](const std::vector<DeclaredMessage>& more) {
    known.insert(known.end(), more.begin(), more.end());
  };
  add_all(service_messages(settings.services));
  if (settings.workload) add_all(workload_messages(settings.workload->kind));
  add_all(settings.learned);
  for (const DeclaredMessage& message : known) {
    if (description.find_kind(message.type) == kNoKind) add_kind(description, message, names);
  }
}

}  // namespace

SystemDescription describe(const Settings& settings) {
  SystemDescription description;
  description.name = "process";
  description.nodes = settings.clock == Clock::told ? NodeKind::told : NodeKind::plain_virtual;
  description.disks = settings.nodes;
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

}  // namespace dissensus::process
