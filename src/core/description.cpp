#include "dissensus/description.h"

#include <array>

#include <fmt/format.h>

namespace dissensus {

std::string_view to_string(SemanticType type) {
  static constexpr std::array<std::string_view, 12> kNames{
      "boolean", "number", "sequence", "round",    "time",  "amount",
      "value",   "hash",   "node",     "node_set", "flags", "text"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(Loss loss) {
  return loss == Loss::resent ? "resent" : "gone";
}

std::string fate_of_lost(const SystemDescription& description) {
  std::vector<std::string> gone;
  for (const KindDescription& kind : description.kinds) {
    if (kind.loss == Loss::gone) gone.push_back(kind.name);
  }
  if (gone.empty()) return "is sent again";
  if (gone.size() == description.kinds.size()) return "is gone for ever";
  return fmt::format("is sent again, but of {} it is gone for ever", fmt::join(gone, ", "));
}

std::string instance_name(const LevelDescription& level, std::uint64_t instance) {
  if (level.scope_bits == 0) return std::to_string(instance);
  const std::uint64_t scope = instance & ((std::uint64_t{1} << level.scope_bits) - 1);
  return fmt::format("{}@{:0{}x}", instance >> level.scope_bits, scope, (level.scope_bits + 3) / 4);
}

std::string value_name(const LevelDescription& level, const Digest& value) {
  for (const auto& [named, name] : level.value_names) {
    if (named == value) return "'" + name + "'";
  }
  return to_string(value);
}

MessageKind SystemDescription::find_kind(std::string_view kind_name) const {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].name == kind_name) return static_cast<MessageKind>(i);
  }
  return kNoKind;
}

}  // namespace dissensus
