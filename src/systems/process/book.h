// What all nodes of a system know: settings, names, kinds of messages.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "dissensus/node.h"

#include "systems/process/message.h"
#include "systems/process/settings.h"

namespace dissensus::process {

class Book {
 public:
  Book(const Settings& settings, const SystemDescription& description);

  const Settings& settings() const { return settings_; }
  const std::string& name(NodeId id) const { return names_[id]; }
  /// kNoNode where nobody has this name.
  NodeId find(std::string_view name) const;
  /// Index into the description's lists; nothing where there is no such name.
  std::optional<std::uint32_t> phase(std::string_view name) const;
  std::optional<std::uint32_t> observable(std::string_view name) const;
  std::optional<std::uint32_t> step(std::string_view name) const;
  std::optional<std::uint32_t> invariant(std::string_view name) const;
  std::optional<Level> level(std::string_view name) const;

  ProcessMessage message(const nlohmann::json& body) const;
  void send(Context& context, NodeId to, const nlohmann::json& body) const;
  /// {"src":...,"dest":...,"body":...} without its closing brace.
  std::string open_line(NodeId from, NodeId to, std::string_view body) const;
  /// The message that tells a program who it is, without its closing brace. `stored` is what it
  /// kept across a crash, as JSON; empty: nothing to tell.
  std::string open_init(NodeId to, std::string_view stored) const;

 private:
  const Settings& settings_;
  const SystemDescription& description_;
  std::vector<std::string> names_;
  std::map<std::string, NodeId, std::less<>> ids_;
  std::map<std::string, MessageKind, std::less<>> kinds_;
  std::string node_ids_;  ///< ["n0","n1"]
};

/// A line of a program; what is nested deeper than anybody needs is no JSON here: whoever walks
/// through it would run out of stack.
nlohmann::json parse_line(std::string_view line);

/// A member of an object; null where there is none.
nlohmann::json member(const nlohmann::json& object, const char* key);

/// Who sends the first message of all.
inline constexpr std::string_view kWorldName = "world";

}  // namespace dissensus::process
