// Numbers for values: equal values have the same one. Searches compare and store numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/history.h"

namespace dissensus::history {

class ValueTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit ValueTable(std::size_t expected = 16);
  std::uint32_t id(const Value& value);
  /// kNone where the value has no number yet.
  std::uint32_t find(const Value& value) const;
  const Value& value(std::uint32_t id) const { return values_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::size_t place_of(const Value& value, std::uint64_t hash) const;
  void grow();
  std::vector<Value> values_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  ///< number + 1; 0: empty
};

}  // namespace dissensus::history
