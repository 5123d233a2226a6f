#include "history/describe.h"

#include <fmt/format.h>

namespace dissensus::history {

std::string label_of(const History& history, const Operation& operation, std::size_t max) {
  const Event& asked = history.events()[operation.invoked];
  std::string text(asked.function);
  if (!asked.value.is_nil()) text += ' ' + to_string(asked.value, max);
  if (operation.outcome == EventKind::fail) return text + " failed";
  if (operation.outcome == EventKind::info) return text + " -> ?";
  const Value& answer = history.events()[operation.completed].value;
  if (answer == asked.value && !answer.is_nil()) return text;
  // Most answers repeat the question with its gaps filled in; that is said once.
  if (answer.type() == asked.value.type() && !asked.value.is_nil()) {
    return fmt::format("{} {}", asked.function, to_string(answer, max));
  }
  return fmt::format("{} -> {}", text, to_string(answer, max));
}

std::string describe(const History& history, const Operation& operation) {
  const Event& asked = history.events()[operation.invoked];
  std::string text = fmt::format("{} of process {}", label_of(history, operation), asked.process);
  if (asked.line == 0) return text;
  if (operation.completed == Operation::kNone) return text + fmt::format(" (line {})", asked.line);
  return text +
         fmt::format(" (lines {} and {})", asked.line, history.events()[operation.completed].line);
}

}  // namespace dissensus::history
