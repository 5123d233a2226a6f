#include "history/value_table.h"

#include <bit>

namespace dissensus::history {

ValueTable::ValueTable(std::size_t expected) : slots_(std::bit_ceil(expected * 2 + 16)) {}

std::size_t ValueTable::place_of(const Value& value, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != 0) {
    const std::uint32_t id = slots_[at] - 1;
    if (hashes_[id] == hash && values_[id] == value) break;
    at = (at + 1) & mask;
  }
  return at;
}

std::uint32_t ValueTable::id(const Value& value) {
  const std::uint64_t hash = value.hash();
  std::size_t at = place_of(value, hash);
  if (slots_[at] != 0) return slots_[at] - 1;
  if (values_.size() * 2 >= slots_.size()) {
    grow();
    at = place_of(value, hash);
  }
  values_.push_back(value);
  hashes_.push_back(hash);
  slots_[at] = static_cast<std::uint32_t>(values_.size());
  return slots_[at] - 1;
}

std::uint32_t ValueTable::find(const Value& value) const {
  const std::size_t at = place_of(value, value.hash());
  return slots_[at] == 0 ? kNone : slots_[at] - 1;
}

void ValueTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < values_.size(); ++id) {
    std::size_t at = hashes_[id] & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = id + 1;
  }
}

}  // namespace dissensus::history
