// Transactions as checkers of anomalies see them: what each read and wrote, in numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dissensus/history.h"

#include "history/value_table.h"

namespace dissensus::history {

struct MicroOperation {
  bool is_read = false;
  std::uint32_t key = 0;  ///< number of the key
  Value value;            ///< what was read, or what was written or appended
};

struct Transaction {
  std::uint32_t operation = 0;  ///< of the history
  std::uint32_t first = 0;      ///< of its micro-operations
  std::uint32_t count = 0;
  EventKind outcome = EventKind::info;
};

enum class TransactionKind : std::uint8_t { list_append, rw_register };

struct Transactions {
  ValueTable keys;
  std::vector<Transaction> all;  ///< in the order of invocations
  std::vector<MicroOperation> micros;

  std::span<const MicroOperation> micros_of(const Transaction& transaction) const {
    return {micros.data() + transaction.first, transaction.count};
  }
};

/// Transactions that did not commit, or may not have, keep what they wanted to write; nobody knows
/// what they read. Throws InputError for anything but [[append|w|r key value] ...].
Transactions transactions_of(const History& history, const std::vector<Operation>& operations,
                             TransactionKind kind);

/// The values that were written to keys: each has a number, its element, and one writer.
class ElementTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Element {
    std::uint32_t writer = kNone;  ///< a transaction
    bool is_final = true;          ///< the last that its writer wrote to the key
    std::uint32_t before = kNone;  ///< the element that its writer wrote to the key before it
  };

  /// Throws InputError where a value is written twice to one key: then nobody could tell who wrote
  /// what was read.
  ElementTable(const History& history, const std::vector<Operation>& operations,
               const Transactions& transactions);
  /// kNone for a value that nobody wrote to the key.
  std::uint32_t find(std::uint32_t key, const Value& value) const;
  const Element& element(std::uint32_t number) const { return elements_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(elements_.size()); }

 private:
  struct Slot {
    Value value;
    std::uint32_t key = 0;
    std::uint32_t element = kNone;
  };
  std::size_t place_of(std::uint32_t key, const Value& value) const;
  std::vector<Element> elements_;
  std::vector<Slot> slots_;
};

}  // namespace dissensus::history
