#include "isolate/declaration.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/file.h"
#include "core/limits.h"
#include "core/suggestion.h"
#include "isolate/run_source.h"

namespace dissensus::isolate {
namespace {

constexpr std::array kTypes{SemanticType::boolean,  SemanticType::number, SemanticType::sequence,
                            SemanticType::round,    SemanticType::time,   SemanticType::amount,
                            SemanticType::value,    SemanticType::hash,   SemanticType::node,
                            SemanticType::node_set, SemanticType::flags,  SemanticType::text};
/// Comparisons multiply; more would make more predicates than anyone can rank.
constexpr std::size_t kKindsMax = 16;
constexpr std::size_t kFieldsMax = 12;
/// Words that a message uses for itself.
constexpr std::array<std::string_view, 2> kReserved{"kind", "from"};

bool only_identity(SemanticType type) {
  return type == SemanticType::hash || type == SemanticType::value || type == SemanticType::text;
}

SemanticType read_type(const OptionValue& value) {
  std::vector<std::string_view> words;
  for (const SemanticType type : kTypes) words.push_back(to_string(type));
  return kTypes[value.choice(words)];
}

std::vector<std::string> read_texts(const Options& options, std::string_view key) {
  std::vector<std::string> result;
  if (const auto list = options.find(key)) {
    for (const OptionValue& item : list->list()) {
      const std::string text = item.text();
      if (std::find(result.begin(), result.end(), text) != result.end())
        item.fail(fmt::format("'{}' twice", text));
      result.push_back(text);
    }
  }
  return result;
}

NodeMask read_nodes(const OptionValue& value, std::size_t nodes) {
  NodeMask mask = 0;
  for (const OptionValue& item : value.list())
    mask |= NodeMask{1} << item.integer(0, static_cast<std::int64_t>(nodes) - 1);
  if (mask == 0) value.fail("empty, expected at least one node");
  return mask;
}

void read_field(const Options& options, Kind& kind, Declaration::KindDetails& details) {
  Field field;
  field.name = options.at("name").text();
  for (const Field& other : kind.fields) {
    if (other.name == field.name) options.fail("name", fmt::format("'{}' twice", field.name));
  }
  if (std::find(kReserved.begin(), kReserved.end(), field.name) != kReserved.end())
    options.fail("name", fmt::format("'{}' is taken, every message has it", field.name));
  field.type = read_type(options.at("type"));
  field.domain = options.text("compare", "");
  if (field.domain.empty()) field.domain = fmt::format("{}.{}", kind.name, field.name);
  const bool optional = options.boolean("optional", false);
  if (optional && !only_identity(field.type))
    options.fail("optional", "only a hash, value or text may be missing");
  details.optional.push_back(optional);
  kind.fields.push_back(std::move(field));
}

void read_kind(const Options& options, Declaration& declaration) {
  Kind kind;
  Declaration::KindDetails details;
  kind.name = options.at("name").text();
  if (kind.name.empty()) options.fail("name", "empty, expected a word");
  for (const Kind& other : declaration.schema.kinds) {
    if (other.name == kind.name) options.fail("name", fmt::format("'{}' twice", kind.name));
  }
  for (const Options& field : options.tables("fields")) read_field(field, kind, details);
  if (kind.fields.size() > kFieldsMax)
    options.fail("fields", fmt::format("{}, expected at most {}", kind.fields.size(), kFieldsMax));
  details.sender_field = options.text("sender", "");
  details.ignored = read_texts(options, "ignore");
  declaration.schema.kinds.push_back(std::move(kind));
  declaration.details.push_back(std::move(details));
}

/// Fields that can be compared must mean the same sort of thing.
void check_domains(const Schema& schema, const Options& options) {
  std::vector<const Field*> seen;
  for (const Kind& kind : schema.kinds) {
    for (const Field& field : kind.fields) {
      for (const Field* other : seen) {
        if (other->domain == field.domain && other->type != field.type) {
          options.fail("kind",
                       fmt::format("{} '{}' and {} '{}' cannot be compared", to_string(other->type),
                                   other->name, to_string(field.type), field.name));
        }
      }
      seen.push_back(&field);
    }
  }
}

void read_trust(const Options& options, Schema& schema) {
  schema.trust_everybody();
  const std::vector<Options> tables = options.tables("trust");
  if (tables.empty()) return;
  schema.trusted.assign(schema.nodes, 0);
  schema.groups.clear();
  for (const Options& table : tables) {
    const NodeMask nodes = read_nodes(table.at("nodes"), schema.nodes);
    const NodeMask trusts = read_nodes(table.at("trusts"), schema.nodes);
    for (std::size_t node = 0; node < schema.nodes; ++node) {
      if ((nodes >> node & 1) == 0) continue;
      if (schema.trusted[node] != 0) table.fail("nodes", fmt::format("node {} twice", node));
      schema.trusted[node] = trusts;
    }
    if (std::find(schema.groups.begin(), schema.groups.end(), trusts) == schema.groups.end())
      schema.groups.push_back(trusts);
  }
  for (std::size_t node = 0; node < schema.nodes; ++node) {
    if (schema.trusted[node] == 0) options.fail("trust", fmt::format("missing for node {}", node));
  }
}

}  // namespace

Declaration parse_declaration(std::string_view text, const std::string& name) {
  const Options options = Options::from_toml(text, name);
  const std::string format = options.at("format").text();
  if (format != kMessagesFormat)
    options.fail("format", fmt::format("'{}', expected {}", format, kMessagesFormat));
  Declaration declaration;
  declaration.name = name;
  Schema& schema = declaration.schema;
  schema.origin = name;
  schema.nodes = static_cast<std::size_t>(
      options.at("nodes").integer(1, static_cast<std::int64_t>(kNodesMax)));
  schema.labels = read_texts(options, "labels");
  if (schema.labels.size() > kLabelsMax)
    options.fail("labels",
                 fmt::format("{}, expected at most {}", schema.labels.size(), kLabelsMax));
  declaration.files = read_texts(options, "runs");
  for (const Options& kind : options.tables("kind")) read_kind(kind, declaration);
  if (schema.kinds.empty()) options.fail("kind", "missing, expected at least one [[kind]]");
  if (schema.kinds.size() > kKindsMax)
    options.fail("kind", fmt::format("{}, expected at most {}", schema.kinds.size(), kKindsMax));
  check_domains(schema, options);
  read_trust(options, schema);
  options.finish();
  return declaration;
}

Declaration read_declaration(const std::string& path) {
  Declaration declaration = parse_declaration(read_file(path, kScenarioBytesMax), path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::string& file : declaration.files) file = (folder / file).string();
  return declaration;
}

Declaration declaration_of(const trace::Header& header) {
  Declaration declaration;
  declaration.name = header.system;
  declaration.schema.origin = "messages of " + header.system;
  declaration.schema.nodes = header.nodes;
  declaration.schema.trust_everybody();
  for (std::size_t index = 0; index < header.kinds.size(); ++index) {
    Kind kind;
    Declaration::KindDetails details;
    kind.name = header.kinds[index];
    for (const FieldDescription& field : header.kind_fields[index]) {
      if (field.type == SemanticType::node && field.name == "origin") {
        details.sender_field = field.name;
        continue;
      }
      if (kind.fields.size() == kFieldsMax) break;
      kind.fields.push_back(
          {field.name, field.type, fmt::format("{}:{}", to_string(field.type), field.name)});
      details.optional.push_back(false);
    }
    declaration.schema.kinds.push_back(std::move(kind));
    declaration.details.push_back(std::move(details));
  }
  return declaration;
}

}  // namespace dissensus::isolate
