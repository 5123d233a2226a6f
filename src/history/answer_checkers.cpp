// Checkers that look at answers alone: unique ids and echo.
#include <fmt/format.h>

#include "history/describe.h"
#include "history/findings.h"
#include "history/linear_objects.h"
#include "history/value_table.h"
#include "history/workloads.h"

namespace dissensus::history {

Verdict check_unique_ids(const History& history, const std::vector<Operation>& operations) {
  Verdict verdict;
  FindingList findings;
  ValueTable ids;
  std::vector<std::uint32_t> first;
  std::size_t answered = 0;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    if (asked.invoked().function != "generate") {
      asked.fail(fmt::format("f: expected generate, found '{}'", asked.invoked().function));
    }
    if (!asked.is_ok()) continue;
    ++answered;
    const std::uint32_t number = ids.id(asked.answered().value);
    if (number == first.size()) {
      first.push_back(i);
      continue;
    }
    findings.add("duplicate",
                 fmt::format("{} was generated twice", to_string(asked.answered().value, 60)),
                 {first[number], i});
  }
  verdict.outcome = answered == 0 ? Outcome::unknown : Outcome::pass;
  if (answered == 0) verdict.reason = "nothing was generated: nothing was checked";
  verdict.figures = {{"asked for", fmt::to_string(operations.size())},
                     {"generated", fmt::to_string(answered)},
                     {"different", fmt::to_string(first.size())}};
  findings.move_to(verdict);
  return verdict;
}

Verdict check_echo(const History& history, const std::vector<Operation>& operations) {
  Verdict verdict;
  FindingList findings;
  std::size_t answered = 0;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    if (asked.invoked().function != "echo") {
      asked.fail(fmt::format("f: expected echo, found '{}'", asked.invoked().function));
    }
    if (!asked.is_ok()) continue;
    ++answered;
    const Value& answer = asked.answered().value;
    // Maelstrom keeps the whole body of the answer.
    const Value echo = answer.type() == Value::Type::map ? answer.find("echo") : answer;
    if (echo == asked.invoked().value) continue;
    findings.add("wrong echo",
                 fmt::format("{} is not what was asked", describe(history, operations[i])), {i});
  }
  verdict.outcome = answered == 0 ? Outcome::unknown : Outcome::pass;
  if (answered == 0) verdict.reason = "nothing was answered: nothing was checked";
  verdict.figures = {{"asked", fmt::to_string(operations.size())},
                     {"answered", fmt::to_string(answered)}};
  findings.move_to(verdict);
  return verdict;
}

}  // namespace dissensus::history
