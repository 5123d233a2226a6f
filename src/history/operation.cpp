#include <unordered_map>

#include <fmt/format.h>

#include "dissensus/history.h"

#include "history/reader.h"

namespace dissensus::history {

namespace {

void complete(const History& history, std::uint32_t index, Operation& operation) {
  const Event& event = history.events()[index];
  const Event& asked = history.events()[operation.invoked];
  if (event.function != asked.function) {
    fail(history, event,
         fmt::format("process {} is told how its {} went, expected its {}", event.process,
                     event.function, asked.function));
  }
  operation.completed = index;
  operation.outcome = event.kind;
}

}  // namespace

std::vector<Operation> operations_of(const History& history) {
  const std::vector<Event>& events = history.events();
  std::vector<Operation> operations;
  operations.reserve(events.size() / 2 + 1);
  constexpr std::int64_t kSmallProcesses = 1024;
  std::vector<std::uint32_t> small(kSmallProcesses, Operation::kNone);
  std::unordered_map<std::int64_t, std::uint32_t> others;
  for (std::uint32_t index = 0; index < events.size(); ++index) {
    const Event& event = events[index];
    const bool is_small = event.process >= 0 && event.process < kSmallProcesses;
    std::uint32_t& open = is_small
                              ? small[static_cast<std::size_t>(event.process)]
                              : others.try_emplace(event.process, Operation::kNone).first->second;
    if (event.kind == EventKind::invoke) {
      if (open != Operation::kNone) {
        fail(history, event,
             fmt::format("process {} invokes {} before it was told how its {} went", event.process,
                         event.function, events[operations[open].invoked].function));
      }
      open = static_cast<std::uint32_t>(operations.size());
      operations.push_back({index, Operation::kNone, EventKind::info});
      continue;
    }
    if (open == Operation::kNone) {
      fail(history, event,
           fmt::format("process {} is told {} for a {} that it did not invoke", event.process,
                       to_string(event.kind), event.function));
    }
    complete(history, index, operations[open]);
    open = Operation::kNone;
  }
  return operations;
}

}  // namespace dissensus::history
