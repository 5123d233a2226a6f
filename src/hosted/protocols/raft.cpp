#include "hosted/protocols/raft.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::protocols {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string text_of(ServerName server) {
  return server == 0 ? "" : fmt::format("{:016x}", server);
}

/// A sequence: its type and the servers. Empty: none.
OrderedJson json_of(const std::optional<RaftChange>& change) {
  constexpr std::array<std::string_view, 4> kTypes{"add", "learner", "remove", "exactly"};
  OrderedJson list = OrderedJson::array();
  if (!change) return list;
  list.push_back(kTypes[static_cast<std::size_t>(change->type)]);
  for (const ServerName server : change->servers) list.push_back(text_of(server));
  return list;
}

OrderedJson json_of(const std::vector<RaftEntry>& log) {
  OrderedJson list = OrderedJson::array();
  for (const RaftEntry& entry : log) {
    list.push_back({{"term", entry.term},
                    {"content", to_string(entry.content).substr(0, 12)},
                    {"change", json_of(entry.change)}});
  }
  return list;
}

Field name_field(std::string name, ServerName RaftFields::*member) {
  return {std::move(name), SemanticType::text, [member](const Content& content) -> FieldValue {
            return text_of(static_cast<const RaftFields&>(content).*member);
          }};
}

}  // namespace

std::vector<Field> raft_fields() {
  return {
      field("term", SemanticType::round, &RaftFields::term),
      field("index", SemanticType::sequence, &RaftFields::index),
      field("log_term", SemanticType::round, &RaftFields::log_term),
      field("commit", SemanticType::sequence, &RaftFields::commit),
      field("entries", SemanticType::number, &RaftFields::entries),
      field("refused", SemanticType::boolean, &RaftFields::is_refused),
      name_field("from", &RaftFields::from),
      name_field("to", &RaftFields::to),
      name_field("vote", &RaftFields::vote),
      {"log", SemanticType::text,
       [](const Content& content) -> FieldValue {
         return json_of(static_cast<const RaftFields&>(content).log).dump();
       }},
      {"members", SemanticType::text,
       [](const Content& content) -> FieldValue {
         return json_of(static_cast<const RaftFields&>(content).members).dump();
       }},
  };
}

}  // namespace dissensus::protocols
