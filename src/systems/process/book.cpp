#include "systems/process/book.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dissensus::process {

namespace {

template <class List, class Name>
std::optional<std::uint32_t> position_of(const List& list, std::string_view wanted, Name name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (name(list[i]) == wanted) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

constexpr auto kOwnName = [](const auto& item) -> const std::string& { return item.name; };
constexpr auto kItself = [](const std::string& item) -> const std::string& { return item; };

}  // namespace

Book::Book(const Settings& settings, const SystemDescription& description)
    : settings_(settings), description_(description) {
  for (std::size_t id = 0; id < settings.total(); ++id) {
    names_.push_back(node_name(settings, static_cast<NodeId>(id)));
    ids_.emplace(names_.back(), static_cast<NodeId>(id));
    if (id >= settings.nodes) continue;
    node_ids_ += fmt::format("{}\"{}\"", node_ids_.empty() ? "[" : ",", names_.back());
  }
  node_ids_ += ']';
  for (std::size_t kind = 0; kind < description.kinds.size(); ++kind) {
    kinds_.emplace(description.kinds[kind].name, static_cast<MessageKind>(kind));
  }
}

NodeId Book::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoNode : found->second;
}

std::optional<std::uint32_t> Book::phase(std::string_view name) const {
  return position_of(description_.phases, name, kItself);
}
std::optional<std::uint32_t> Book::observable(std::string_view name) const {
  return position_of(description_.observables, name, kItself);
}
std::optional<std::uint32_t> Book::step(std::string_view name) const {
  return position_of(description_.steps, name, kOwnName);
}
std::optional<std::uint32_t> Book::invariant(std::string_view name) const {
  const auto found = position_of(description_.invariants, name, kOwnName);
  return found && *found >= kProgramInvariants ? found : std::nullopt;
}
std::optional<Level> Book::level(std::string_view name) const {
  const auto found = position_of(description_.levels, name, kOwnName);
  return found ? std::optional(static_cast<Level>(*found)) : std::nullopt;
}

ProcessMessage Book::message(const nlohmann::json& body) const {
  ProcessMessage message;
  const auto type = body.find("type");
  if (type != body.end() && type->is_string()) {
    const auto found = kinds_.find(type->get_ref<const std::string&>());
    if (found != kinds_.end()) message.message_kind = found->second;
  }
  message.body = std::make_shared<std::string>(
      body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return message;
}

void Book::send(Context& context, NodeId to, const nlohmann::json& body) const {
  context.send(to, message(body));
}

nlohmann::json parse_line(std::string_view line) {
  constexpr int kDepthMax = 200;
  int depth = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_text && c == '\\') ++i;
    if (c == '"') is_text = !is_text;
    if (is_text) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDepthMax) return nlohmann::json(nlohmann::json::value_t::discarded);
  }
  return nlohmann::json::parse(line, nullptr, false);
}

nlohmann::json member(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nlohmann::json() : *found;
}

std::string Book::open_line(NodeId from, NodeId to, std::string_view body) const {
  return fmt::format("{{\"src\":\"{}\",\"dest\":\"{}\",\"body\":{}", names_[from], names_[to],
                     body);
}

std::string Book::open_init(NodeId to, std::string_view stored) const {
  return fmt::format(
      "{{\"src\":\"{}\",\"dest\":\"{}\",\"body\":{{\"type\":\"init\",\"msg_id\":1,\"node_id\":"
      "\"{}\",\"node_ids\":{}{}{}}}",
      kWorldName, names_[to], names_[to], node_ids_, stored.empty() ? "" : ",\"stored\":", stored);
}

}  // namespace dissensus::process
