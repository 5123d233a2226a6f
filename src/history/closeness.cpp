#include "history/closeness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "history/transactions.h"

namespace dissensus::history {

namespace {

constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();
/// Lateness of a second counts as half of all lateness that there can be.
constexpr double kHalfSeconds = 1;
/// So many events are looked at, which bounds the time; longer histories are not those of hunts.
constexpr std::size_t kOperationsMax = 20'000;

/// Grows with `amount` towards 1, and is 1/2 at `half`.
double saturated(double amount, double half) {
  return amount <= 0 ? 0 : amount / (amount + half);
}

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// An operation with its times; unanswered ones end never.
struct Timed {
  const Event* asked = nullptr;
  const Event* answered = nullptr;
  EventKind outcome = EventKind::info;
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds end = kForever;
};

std::vector<Timed> timed(const History& history, const std::vector<Operation>& operations) {
  std::vector<Timed> result;
  for (const Operation& operation : operations) {
    Timed& item = result.emplace_back();
    item.asked = &history.events()[operation.invoked];
    item.begin = item.asked->time;
    item.outcome = operation.outcome;
    if (operation.completed == Operation::kNone) continue;
    item.answered = &history.events()[operation.completed];
    if (operation.outcome == EventKind::ok) item.end = item.answered->time;
  }
  return result;
}

// ---- registers

struct RegisterChange {
  Value value;
  EventKind outcome;
  std::chrono::nanoseconds begin;
  std::chrono::nanoseconds end;
};
struct RegisterRead {
  Value value;
  std::chrono::nanoseconds begin;
  std::chrono::nanoseconds end;
};
struct RegisterUse {
  std::vector<RegisterChange> changes;  ///< by their beginnings
  std::vector<RegisterRead> reads;
};
struct LessValue {
  bool operator()(const Value& a, const Value& b) const { return Value::compare(a, b) < 0; }
};
using Registers = std::map<Value, RegisterUse, LessValue>;

/// [key value] of lin-kv becomes key and value; a register alone has no key.
std::pair<Value, Value> split(const Value& value, bool has_keys) {
  if (!has_keys) return {Value(), value};
  const auto items = value.items();
  return items.size() == 2 ? std::pair(items[0], items[1]) : std::pair(Value(), Value());
}

Registers registers_of(const std::vector<Timed>& operations, bool has_keys) {
  Registers registers;
  for (const Timed& operation : operations) {
    if (operation.outcome == EventKind::fail) continue;
    const bool is_read = operation.asked->function == "read";
    if (is_read && operation.outcome != EventKind::ok) continue;
    const Event& told = is_read ? *operation.answered : *operation.asked;
    auto [key, value] = split(told.value, has_keys);
    if (operation.asked->function == "cas" && value.items().size() == 2) value = value.items()[1];
    if (is_read) {
      registers[key].reads.push_back({value, operation.begin, operation.end});
    } else {
      registers[key].changes.push_back({value, operation.outcome, operation.begin, operation.end});
    }
  }
  return registers;
}

/// The last change that may have written what was read; null: it was there from the beginning.
const RegisterChange* writer_of(const RegisterRead& read, const RegisterUse& use) {
  const RegisterChange* writer = nullptr;
  for (const RegisterChange& change : use.changes) {
    if (change.begin < read.end && change.value == read.value) writer = &change;
  }
  return writer;
}

/// How much of a change that replaced what was read lay behind when the read began: 1 would be all.
double staleness(const RegisterRead& read, const RegisterChange* writer, const RegisterUse& use) {
  const auto written = writer == nullptr ? std::chrono::nanoseconds::min() : writer->end;
  double most = 0;
  for (const RegisterChange& change : use.changes) {
    const bool is_later = written != kForever && change.begin > written;
    if (!is_later || change.outcome != EventKind::ok || change.begin >= read.begin) continue;
    const double duration = seconds_of(change.end - change.begin);
    const double behind = seconds_of(read.begin - change.begin);
    if (duration > 0) most = std::max(most, std::min(1.0, behind / duration));
  }
  return most;
}

double of_registers(const std::vector<Timed>& operations, bool has_keys) {
  double stale = 0;
  double late = 0;
  for (const auto& [key, use] : registers_of(operations, has_keys)) {
    std::vector<const RegisterChange*> seen;
    for (const RegisterRead& read : use.reads) {
      const RegisterChange* const writer = writer_of(read, use);
      stale = std::max(stale, staleness(read, writer, use));
      const bool is_unanswered = writer != nullptr && writer->outcome == EventKind::info;
      if (!is_unanswered || std::find(seen.begin(), seen.end(), writer) != seen.end()) continue;
      seen.push_back(writer);
      late += saturated(seconds_of(read.end - writer->begin), kHalfSeconds);
    }
  }
  return 0.5 * stale + 0.5 * saturated(late, 1);
}

// ---- transactions

/// Whether `reader` read a key that `writer` wrote, and did not see it.
bool does_not_see(const Transactions& transactions, const Transaction& reader,
                  const Transaction& writer, TransactionKind kind) {
  for (const MicroOperation& read : transactions.micros_of(reader)) {
    if (!read.is_read) continue;
    for (const MicroOperation& write : transactions.micros_of(writer)) {
      if (write.is_read || write.key != read.key) continue;
      const auto items = read.value.items();
      const bool sees = kind == TransactionKind::rw_register
                            ? read.value == write.value
                            : std::find(items.begin(), items.end(), write.value) != items.end();
      if (!sees) return true;
    }
  }
  return false;
}

double of_transactions(const History& history, const std::vector<Operation>& operations,
                       TransactionKind kind, const std::vector<Timed>& times) {
  const Transactions transactions = transactions_of(history, operations, kind);
  const std::vector<Transaction>& all = transactions.all;
  std::vector<bool> has_in(all.size());
  std::vector<bool> has_out(all.size());
  std::vector<std::size_t> active;  // began before, and may still have been going on
  for (std::size_t later = 0; later < all.size(); ++later) {
    if (all[later].outcome != EventKind::ok) continue;
    const auto begin = times[all[later].operation].begin;
    std::erase_if(active,
                  [&](std::size_t other) { return times[all[other].operation].end < begin; });
    for (const std::size_t earlier : active) {
      for (const auto& [reader, writer] : {std::pair(earlier, later), std::pair(later, earlier)}) {
        if (!does_not_see(transactions, all[reader], all[writer], kind)) continue;
        has_out[reader] = true;
        has_in[writer] = true;
      }
    }
    active.push_back(later);
  }
  double between = 0;
  for (std::size_t i = 0; i < all.size(); ++i) between += has_in[i] && has_out[i] ? 1 : 0;
  return saturated(between, 4);
}

// ---- sets, broadcasts, logs, counters

using Elements = std::map<Value, std::chrono::nanoseconds, LessValue>;

/// The longest time for which something acknowledged was missing in a read.
double of_sets(const std::vector<Timed>& operations) {
  Elements acknowledged;
  std::chrono::nanoseconds longest{};
  std::vector<const Timed*> reads;
  for (const Timed& operation : operations) {
    if (operation.outcome != EventKind::ok) continue;
    if (operation.asked->function == "read") {
      reads.push_back(&operation);
    } else {
      acknowledged.emplace(operation.asked->value, operation.end);
    }
  }
  for (const Timed* const read : reads) {
    const auto items = read->answered->value.items();
    std::vector<Value> shown(items.begin(), items.end());
    std::sort(shown.begin(), shown.end(), LessValue());
    for (const auto& [value, since] : acknowledged) {
      if (since >= read->begin || read->begin - since <= longest) continue;
      if (!std::binary_search(shown.begin(), shown.end(), value, LessValue())) {
        longest = read->begin - since;
      }
    }
  }
  return saturated(seconds_of(longest), kHalfSeconds);
}

/// What polls showed: {key [[offset value] ...]} within [[poll {...}]].
void note_polled(const Timed& poll, Elements& shown) {
  for (const Value& part : poll.answered->value.items()) {
    if (part.items().size() != 2) continue;
    const auto logs = part.items()[1].items();
    for (std::size_t i = 1; i < logs.size(); i += 2) {
      for (const Value& pair : logs[i].items()) {
        if (pair.items().size() == 2) shown.emplace(pair.items()[1], poll.end);
      }
    }
  }
}

/// The longest time from the answer to a send until a poll showed it, or until the last answer.
double of_logs(const std::vector<Timed>& operations) {
  Elements sent;
  Elements shown;
  std::chrono::nanoseconds last{};
  std::vector<const Timed*> polls;
  for (const Timed& operation : operations) {
    if (operation.outcome != EventKind::ok) continue;
    last = std::max(last, operation.end);
    if (operation.asked->function == "poll") polls.push_back(&operation);
    if (operation.asked->function != "send") continue;
    for (const Value& part : operation.asked->value.items()) {
      if (part.items().size() == 3) sent.emplace(part.items()[2], operation.end);
    }
  }
  std::sort(polls.begin(), polls.end(),
            [](const Timed* a, const Timed* b) { return a->end < b->end; });
  for (const Timed* const poll : polls) note_polled(*poll, shown);
  std::chrono::nanoseconds longest{};
  for (const auto& [value, since] : sent) {
    const auto found = shown.find(value);
    longest = std::max(longest, (found == shown.end() ? last : found->second) - since);
  }
  return saturated(seconds_of(longest), kHalfSeconds);
}

/// The largest share of what was acknowledged that a read lacked.
double of_counters(const std::vector<Timed>& operations) {
  double most = 0;
  for (const Timed& read : operations) {
    if (read.outcome != EventKind::ok || read.asked->function != "read") continue;
    double sum = 0;
    double all = 0;
    for (const Timed& add : operations) {
      const bool counts = add.outcome == EventKind::ok && add.asked->function == "add";
      if (!counts || add.end >= read.begin) continue;
      sum += add.asked->value.number();
      all += std::abs(add.asked->value.number());
    }
    const double lacking = std::abs(sum - read.answered->value.number());
    if (all > 0) most = std::max(most, saturated(lacking / all, 1));
  }
  return most;
}

}  // namespace

double closeness(const History& history, const std::vector<Operation>& operations,
                 std::string_view model) {
  if (operations.size() > kOperationsMax) return 0;
  const auto has_no_time = [](const Event& event) { return event.time == kNoTime; };
  if (std::any_of(history.events().begin(), history.events().end(), has_no_time)) return 0;
  const std::vector<Timed> times = timed(history, operations);
  if (model == "lin-kv" || model == "lin-register") return of_registers(times, model == "lin-kv");
  if (model == "txn-list-append") {
    return of_transactions(history, operations, TransactionKind::list_append, times);
  }
  if (model == "txn-rw-register") {
    return of_transactions(history, operations, TransactionKind::rw_register, times);
  }
  if (model == "g-set" || model == "broadcast") return of_sets(times);
  if (model == "kafka") return of_logs(times);
  if (model == "g-counter" || model == "pn-counter" || model == "counter") {
    return of_counters(times);
  }
  return 0;
}

}  // namespace dissensus::history
