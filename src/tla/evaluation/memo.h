// Results of pure operators by their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dissensus/digest.h"

#include "tla/values/value.h"

namespace dissensus::tla {

/// Open addressing; forgets everything when it is full rather than growing without bound.
class MemoTable {
 public:
  /// Null value: unknown.
  Value find(std::uint32_t operation, std::span<const Value> arguments) const {
    if (entries_.empty()) return Value();
    const std::uint64_t hash = hash_of(operation, arguments);
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Entry& entry = entries_[i];
      if (entry.result.is_null()) return Value();
      if (entry.hash == hash && is_key(entry, operation, arguments)) return entry.result;
    }
  }
  void insert(std::uint32_t operation, std::span<const Value> arguments, Value result) {
    if ((count_ + 1) * 2 > entries_.size()) grow();
    const std::uint64_t hash = hash_of(operation, arguments);
    std::size_t i = hash & mask_;
    while (!entries_[i].result.is_null()) i = (i + 1) & mask_;
    entries_[i] = {hash, operation, static_cast<std::uint32_t>(keys_.size()), result};
    keys_.insert(keys_.end(), arguments.begin(), arguments.end());
    ++count_;
  }
  void clear() {
    entries_.assign(entries_.empty() ? 0 : kInitial, Entry{});
    mask_ = entries_.empty() ? 0 : kInitial - 1;
    keys_.clear();
    count_ = 0;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t operation = 0;
    std::uint32_t key = 0;
    Value result;
  };
  static constexpr std::size_t kInitial = 1024;
  static constexpr std::size_t kEntriesMax = std::size_t{1} << 22;

  static std::uint64_t hash_of(std::uint32_t operation, std::span<const Value> arguments) {
    std::uint64_t hash = operation;
    for (const Value value : arguments) hash = mix64(hash + 0x9E3779B97F4A7C15ULL, value.word());
    return hash;
  }
  bool is_key(const Entry& entry, std::uint32_t operation, std::span<const Value> arguments) const {
    if (entry.operation != operation) return false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!(keys_[entry.key + i] == arguments[i])) return false;
    }
    return true;
  }
  void grow() {
    if (entries_.size() >= kEntriesMax) {
      clear();
      return;
    }
    std::vector<Entry> old = std::move(entries_);
    entries_.assign(old.empty() ? kInitial : old.size() * 2, Entry{});
    mask_ = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (entry.result.is_null()) continue;
      std::size_t i = entry.hash & mask_;
      while (!entries_[i].result.is_null()) i = (i + 1) & mask_;
      entries_[i] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::vector<Value> keys_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace dissensus::tla
