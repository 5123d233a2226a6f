#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "history/describe.h"
#include "history/findings.h"
#include "history/linear_objects.h"
#include "history/workloads.h"

namespace dissensus::history {

namespace {

struct Addition {
  std::uint32_t operation = 0;
  std::int64_t amount = 0;
};

struct CounterHistory {
  std::vector<Addition> additions;
  std::vector<std::uint32_t> reads;  ///< that were answered
};

constexpr std::int64_t kAmountMax = std::int64_t{1} << 40;

CounterHistory read_counter(const History& history, const std::vector<Operation>& operations,
                            CounterKind kind) {
  CounterHistory result;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const Asked asked{history, operations[i]};
    const std::string_view function = asked.invoked().function;
    if (function == "read") {
      if (!asked.is_ok()) continue;
      if (!asked.answered().value.is_integer()) {
        asked.fail(fmt::format("read: expected a whole number as its answer, found {}",
                               to_string(asked.answered().value, 40)));
      }
      result.reads.push_back(i);
      continue;
    }
    const Value& amount = asked.invoked().value;
    if (function != "add" && function != "increment" && function != "decrement") {
      asked.fail(fmt::format("f: expected add or read, found '{}'", function));
    }
    if (!amount.is_integer() || amount.integer() > kAmountMax || amount.integer() < -kAmountMax) {
      asked.fail(
          fmt::format("{}: expected a whole number, found {}", function, to_string(amount, 40)));
    }
    if (kind == CounterKind::eventual_growing && amount.integer() < 0) {
      asked.fail(fmt::format("add: a g-counter only grows, expected a number from 0, found {}",
                             amount.integer()));
    }
    if (asked.is_failed()) continue;
    result.additions.push_back({i, function == "decrement" ? -amount.integer() : amount.integer()});
  }
  return result;
}

/// Every read lies between what must have been added when it was invoked and what may have been
/// added when it was answered.
Verdict check_bounds(const History& history, const std::vector<Operation>& operations,
                     const CounterHistory& counter) {
  // What each event adds to the bounds; a read takes the lower one at its invocation for what
  // grows, and the upper one at its answer.
  struct Change {
    std::int64_t must = 0;
    std::int64_t may = 0;
  };
  const std::size_t events = history.events().size();
  std::vector<Change> grows(events + 1);
  std::vector<Change> falls(events + 1);
  for (const Addition& addition : counter.additions) {
    const Operation& operation = operations[addition.operation];
    std::vector<Change>& changes = addition.amount > 0 ? grows : falls;
    changes[operation.invoked + 1].may += addition.amount;
    if (operation.outcome == EventKind::ok)
      changes[operation.completed + 1].must += addition.amount;
  }
  for (std::size_t i = 1; i <= events; ++i) {
    for (std::vector<Change>* changes : {&grows, &falls}) {
      (*changes)[i].must += (*changes)[i - 1].must;
      (*changes)[i].may += (*changes)[i - 1].may;
    }
  }
  Verdict verdict;
  FindingList findings;
  for (const std::uint32_t read : counter.reads) {
    const Operation& operation = operations[read];
    const std::int64_t low = grows[operation.invoked].must + falls[operation.completed].may;
    const std::int64_t high = grows[operation.completed].may + falls[operation.invoked].must;
    const std::int64_t value = history.events()[operation.completed].value.integer();
    if (value >= low && value <= high) continue;
    findings.add("out of bounds",
                 fmt::format("{} shows {}; expected {} to {}", describe(history, operation), value,
                             low, high),
                 {read});
  }
  verdict.outcome = counter.reads.empty() ? Outcome::unknown : Outcome::pass;
  if (counter.reads.empty()) verdict.reason = "no read was answered: nothing was checked";
  findings.move_to(verdict);
  return verdict;
}

/// Reads that are marked as final; without marks, the last read of each process if it was invoked
/// after the last addition was answered.
std::vector<std::uint32_t> final_reads(const History& history,
                                       const std::vector<Operation>& operations,
                                       const CounterHistory& counter) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t read : counter.reads) {
    const bool is_marked = history.events()[operations[read].invoked].is_final ||
                           history.events()[operations[read].completed].is_final;
    if (is_marked) result.push_back(read);
  }
  if (!result.empty()) return result;
  std::uint32_t end = 0;  ///< one behind the last event of an addition
  for (const Addition& addition : counter.additions) {
    const Operation& operation = operations[addition.operation];
    end = std::max(end, 1 + (operation.completed == Operation::kNone ? operation.invoked
                                                                     : operation.completed));
  }
  std::map<std::int64_t, std::uint32_t> last;
  for (const std::uint32_t read : counter.reads) {
    if (operations[read].invoked >= end) {
      last[history.events()[operations[read].invoked].process] = read;
    }
  }
  for (const auto& [process, read] : last) result.push_back(read);
  return result;
}

/// All sums of some of the amounts; nothing if there are too many.
std::optional<std::set<std::int64_t>> sums_of(const std::vector<std::int64_t>& amounts,
                                              const CheckLimits& limits) {
  constexpr std::size_t kSumBytes = 48;
  std::set<std::int64_t> sums{0};
  std::uint64_t steps = 0;
  for (const std::int64_t amount : amounts) {
    std::vector<std::int64_t> more;
    for (const std::int64_t sum : sums) more.push_back(sum + amount);
    steps += more.size();
    sums.insert(more.begin(), more.end());
    if (steps > limits.steps || sums.size() * kSumBytes > limits.memory_bytes) return std::nullopt;
  }
  return sums;
}

Verdict check_final(const History& history, const std::vector<Operation>& operations,
                    const CounterHistory& counter, const CheckLimits& limits) {
  Verdict verdict;
  std::int64_t certain = 0;
  std::vector<std::int64_t> uncertain;
  for (const Addition& addition : counter.additions) {
    if (operations[addition.operation].outcome == EventKind::ok) {
      certain += addition.amount;
    } else {
      uncertain.push_back(addition.amount);
    }
  }
  const std::vector<std::uint32_t> reads = final_reads(history, operations, counter);
  verdict.figures = {{"final reads", fmt::to_string(reads.size())},
                     {"sum of what was added", fmt::to_string(certain)},
                     {"additions that may have happened", fmt::to_string(uncertain.size())}};
  if (reads.empty()) {
    verdict.reason = "no read is final, or comes after the last addition: nothing was checked";
    return verdict;
  }
  const std::optional<std::set<std::int64_t>> sums = sums_of(uncertain, limits);
  if (!sums) {
    verdict.reason = fmt::format("{} additions may have happened: too many sums", uncertain.size());
    return verdict;
  }
  FindingList findings;
  for (const std::uint32_t read : reads) {
    const std::int64_t value = history.events()[operations[read].completed].value.integer();
    if (sums->contains(value - certain)) continue;
    findings.add(
        "wrong sum",
        fmt::format("{} shows {}; expected {}{}", describe(history, operations[read]), value,
                    certain, uncertain.empty() ? "" : " and some of what may have been added"),
        {read});
  }
  verdict.outcome = Outcome::pass;
  findings.move_to(verdict);
  return verdict;
}

}  // namespace

Verdict check_counter(const History& history, const std::vector<Operation>& operations,
                      CounterKind kind, const CheckLimits& limits) {
  const CounterHistory counter = read_counter(history, operations, kind);
  Verdict verdict = kind == CounterKind::bounded
                        ? check_bounds(history, operations, counter)
                        : check_final(history, operations, counter, limits);
  verdict.figures.insert(verdict.figures.begin(),
                         {{"additions", fmt::to_string(counter.additions.size())},
                          {"reads", fmt::to_string(counter.reads.size())}});
  return verdict;
}

}  // namespace dissensus::history
