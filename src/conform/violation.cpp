#include "conform/violation.h"

#include <fmt/format.h>

namespace dissensus::conform {

std::string_view to_string(Violation::Type type) {
  switch (type) {
    case Violation::Type::property:
      return "Prop";
    case Violation::Type::type_one:
      return "Type-I";
    case Violation::Type::type_two:
      return "Type-II";
  }
  return "";
}

std::vector<RefusingGuard> to_guards(const tla::Explanation& explanation) {
  std::vector<RefusingGuard> guards;
  for (const tla::FailedGuard& guard : explanation.guards) {
    guards.push_back({guard.at.to_string(), guard.text, guard.operands});
  }
  return guards;
}

std::string to_text(const Violation& violation) {
  std::string text = fmt::format("{} violation at step {}: {}\n", to_string(violation.type),
                                 violation.step, violation.message);
  if (!violation.event.empty()) text += fmt::format("  event:  {}\n", violation.event);
  if (!violation.action.empty()) text += fmt::format("  action: {}\n", violation.action);
  if (!violation.guards.empty()) {
    const RefusingGuard& guard = violation.guards.front();
    text += fmt::format("  failing guard: {}: {}\n", guard.at, guard.text);
    for (const auto& [expression, value] : guard.operands) {
      text += fmt::format("    {} = {}\n", expression, value);
    }
  }
  if (violation.guards.size() > 1) {
    text += "  other guards that failed on the way:\n";
    for (std::size_t index = 1; index < std::min<std::size_t>(violation.guards.size(), 4);
         ++index) {
      const RefusingGuard& guard = violation.guards[index];
      text += fmt::format("    {}: {}\n", guard.at, guard.text);
    }
  }
  for (const ViewDifference& difference : violation.differences) {
    text += fmt::format("  {}: model {}, implementation {}\n", difference.view, difference.model,
                        difference.implementation);
  }
  if (!violation.enabled.empty()) {
    text += fmt::format("  the model allows here: {}\n", fmt::join(violation.enabled, ", "));
  }
  return text;
}

std::string signature_of(const Violation& violation) {
  const auto name = [](const std::string& text) { return text.substr(0, text.find('(')); };
  if (!violation.property.empty()) return "property " + violation.property;
  if (violation.action.empty()) return name(violation.event) + ": not in the mapping";
  const std::string action = name(violation.action);
  if (!violation.guards.empty()) return action + " refused: " + violation.guards.front().text;
  if (violation.differences.empty()) return action + " not taken";
  return action + " differs: " + violation.differences.front().view;
}

bool is_same_kind(const Violation& a, const Violation& b) {
  const auto name = [](const std::string& action) { return action.substr(0, action.find('(')); };
  if (a.type != b.type || a.property != b.property || name(a.action) != name(b.action))
    return false;
  if (a.guards.empty() != b.guards.empty()) return false;
  if (!a.guards.empty() && a.guards.front().at != b.guards.front().at) {
    return false;
  }
  if (a.differences.empty() != b.differences.empty()) return false;
  return a.differences.empty() || a.differences.front().view == b.differences.front().view;
}

}  // namespace dissensus::conform
