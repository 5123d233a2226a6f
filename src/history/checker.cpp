#include "history/checker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/suggestion.h"
#include "history/workloads.h"

namespace dissensus::history {

namespace {

using Check = Verdict (*)(const History&, const std::vector<Operation>&, const CheckOptions&);

template <LinearKind kind>
Verdict linear(const History& history, const std::vector<Operation>& operations,
               const CheckOptions& options) {
  LinearOptions linear_options;
  linear_options.initial = options.initial;
  linear_options.failed_cas_compares = options.failed_cas_compares;
  linear_options.limits = options.limits;
  return check_linearizable(history, operations, kind, linear_options);
}

template <TransactionKind kind>
Verdict transactional(const History& history, const std::vector<Operation>& operations,
                      const CheckOptions& options) {
  return check_transactions(history, operations, kind, {options.promised, options.limits});
}

template <CounterKind kind>
Verdict counter(const History& history, const std::vector<Operation>& operations,
                const CheckOptions& options) {
  return check_counter(history, operations, kind, options.limits);
}

template <Verdict (*check)(const History&, const std::vector<Operation>&)>
Verdict plain(const History& history, const std::vector<Operation>& operations,
              const CheckOptions& /*options*/) {
  return check(history, operations);
}

constexpr std::array<CheckerDescription, 16> kDescriptions{{
    {"lin-register", "read, write, cas", "a linearizable register"},
    {"lin-kv", "read/get, write/put, cas, append", "linearizable registers by key"},
    {"lin-queue", "enqueue, dequeue", "a linearizable first-in first-out queue"},
    {"lin-bag", "enqueue, dequeue", "a linearizable queue without order"},
    {"lin-set", "add, remove, contains, read", "a linearizable set"},
    {"lin-mutex", "acquire, release", "a linearizable lock"},
    {"txn-list-append", "txn of append, r", "isolation of transactions on lists"},
    {"txn-rw-register", "txn of w, r", "isolation of transactions on registers"},
    {"g-set", "add, read", "a set that forgets nothing"},
    {"broadcast", "broadcast, read", "messages that reach everybody, and how soon"},
    {"counter", "add, read", "every read within its bounds"},
    {"g-counter", "add, read", "final reads show the sum; nothing negative is added"},
    {"pn-counter", "add, read", "final reads show the sum"},
    {"unique-ids", "generate", "no id twice"},
    {"kafka", "send, poll, txn", "logs by offset: nothing lost, skipped, or twice"},
    {"echo", "echo", "answers repeat questions"},
}};
constexpr std::array<Check, kDescriptions.size()> kChecks{
    linear<LinearKind::single_register>,
    linear<LinearKind::key_value>,
    linear<LinearKind::queue>,
    linear<LinearKind::bag>,
    linear<LinearKind::set>,
    linear<LinearKind::mutex>,
    transactional<TransactionKind::list_append>,
    transactional<TransactionKind::rw_register>,
    plain<check_set>,
    plain<check_set>,
    counter<CounterKind::bounded>,
    counter<CounterKind::eventual_growing>,
    counter<CounterKind::eventual>,
    plain<check_unique_ids>,
    plain<check_kafka>,
    plain<check_echo>,
};

}  // namespace

std::span<const CheckerDescription> checkers() {
  return kDescriptions;
}

Verdict check(const History& history, const std::vector<Operation>& operations,
              std::string_view model, const CheckOptions& options) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kDescriptions.size(); ++i) {
    names.emplace_back(kDescriptions[i].name);
    if (kDescriptions[i].name != model) continue;
    Verdict verdict;
    if (operations.empty()) {
      verdict.reason = "the history has no operations: nothing was checked";
    } else {
      verdict = kChecks[i](history, operations, options);
      const bool is_answered = std::ranges::any_of(operations, [](const Operation& operation) {
        return operation.outcome != EventKind::info;
      });
      if (verdict.outcome == Outcome::pass && !is_answered) {
        verdict.outcome = Outcome::unknown;
        verdict.reason = "no operation was answered: nothing was checked";
      }
    }
    verdict.model = model;
    return verdict;
  }
  throw InputError(fmt::format("no model '{}'{} (models: {})", model,
                               suggestion(std::string(model), names), fmt::join(names, ", ")));
}

}  // namespace dissensus::history
