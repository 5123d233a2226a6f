#include "history/transactions.h"

#include <bit>

#include <fmt/format.h>

#include "core/document.h"
#include "history/reader.h"

namespace dissensus::history {

namespace {

class TransactionReader {
 public:
  TransactionReader(const History& history, TransactionKind kind)
      : history_(history), kind_(kind) {}

  Transactions read(const std::vector<Operation>& operations) {
    result_.all.reserve(operations.size());
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& operation = operations[i];
      const bool is_ok = operation.outcome == EventKind::ok;
      const Event& event = history_.events()[is_ok ? operation.completed : operation.invoked];
      Transaction transaction;
      transaction.operation = i;
      transaction.outcome = operation.outcome;
      transaction.first = static_cast<std::uint32_t>(result_.micros.size());
      if (!event.value.is_list()) {
        fail(history_, event,
             fmt::format("expected a list of [function key value], found {}",
                         to_string(event.value, 40)));
      }
      for (const Value& micro : event.value.items()) read_micro(event, micro, is_ok);
      transaction.count = static_cast<std::uint32_t>(result_.micros.size()) - transaction.first;
      result_.all.push_back(transaction);
    }
    return std::move(result_);
  }

 private:
  void read_micro(const Event& event, const Value& micro, bool is_ok) {
    const std::span<const Value> parts = micro.items();
    const bool has_form = micro.is_list() && parts.size() == 3 && parts[0].is_text();
    const std::string_view function = has_form ? parts[0].text() : std::string_view();
    const bool is_read = function == "r" || function == "read";
    const bool is_list = kind_ == TransactionKind::list_append;
    const bool is_write = is_list ? function == "append" : function == "w" || function == "write";
    if (!is_read && !is_write) {
      fail(history_, event,
           fmt::format("expected [r key value] or [{} key value], found {}",
                       is_list ? "append" : "w", to_string(micro, 40)));
    }
    if (is_read && is_ok && is_list && !parts[2].is_list() && !parts[2].is_nil()) {
      fail(history_, event,
           fmt::format("expected that r returns a list, found {}", to_string(parts[2], 40)));
    }
    if (is_read && !is_ok) return;
    result_.micros.push_back({is_read, result_.keys.id(parts[1]), parts[2]});
  }

  const History& history_;
  const TransactionKind kind_;
  Transactions result_;
};

}  // namespace

Transactions transactions_of(const History& history, const std::vector<Operation>& operations,
                             TransactionKind kind) {
  return TransactionReader(history, kind).read(operations);
}

std::size_t ElementTable::place_of(std::uint32_t key, const Value& value) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (value.hash() + key * 0x9E3779B97F4A7C15) & mask;
  while (slots_[at].element != kNone && !(slots_[at].key == key && slots_[at].value == value)) {
    at = (at + 1) & mask;
  }
  return at;
}

ElementTable::ElementTable(const History& history, const std::vector<Operation>& operations,
                           const Transactions& transactions) {
  std::size_t writes = 0;
  for (const MicroOperation& micro : transactions.micros) writes += micro.is_read ? 0 : 1;
  slots_.resize(std::bit_ceil(writes * 2 + 16));
  elements_.reserve(writes);
  // The last element that the current transaction wrote to a key.
  std::vector<std::uint32_t> last(transactions.keys.size(), kNone);
  for (std::uint32_t number = 0; number < transactions.all.size(); ++number) {
    const Transaction& transaction = transactions.all[number];
    for (const MicroOperation& micro : transactions.micros_of(transaction)) {
      if (micro.is_read) continue;
      Slot& slot = slots_[place_of(micro.key, micro.value)];
      if (slot.element != kNone) {
        const auto line_of = [&](std::uint32_t writer) {
          return history.events()[operations[transactions.all[writer].operation].invoked].line;
        };
        internal::fail_at(
            history.name(), static_cast<int>(line_of(number)), "",
            fmt::format("{} is written to key {} a second time (first in line {}); expected that "
                        "every value is written to a key once",
                        to_string(micro.value, 40),
                        to_string(transactions.keys.value(micro.key), 40),
                        line_of(elements_[slot.element].writer)));
      }
      std::uint32_t before = last[micro.key];
      if (before != kNone && elements_[before].writer != number) before = kNone;
      if (before != kNone) elements_[before].is_final = false;
      last[micro.key] = static_cast<std::uint32_t>(elements_.size());
      slot = {micro.value, micro.key, last[micro.key]};
      elements_.push_back({number, true, before});
    }
  }
}

std::uint32_t ElementTable::find(std::uint32_t key, const Value& value) const {
  return slots_[place_of(key, value)].element;
}

}  // namespace dissensus::history
