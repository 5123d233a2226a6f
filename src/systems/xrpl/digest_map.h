// A hash table from digests to numbers. It is never iterated, so its order reaches nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/digest.h"

namespace dissensus::xrpl {

class DigestMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  std::uint32_t find(const Digest& key) const {
    if (slots_.empty()) return kAbsent;
    for (std::size_t place = home(key);; place = (place + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[place];
      if (slot.value == kAbsent || slot.key == key) return slot.value;
    }
  }
  /// The value under `key`, which becomes `value` if there was none.
  std::uint32_t insert(const Digest& key, std::uint32_t value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::size_t place = home(key);
    while (slots_[place].value != kAbsent) {
      if (slots_[place].key == key) return slots_[place].value;
      place = (place + 1) & (slots_.size() - 1);
    }
    slots_[place] = {key, value};
    ++count_;
    return value;
  }

 private:
  struct Slot {
    Digest key;
    std::uint32_t value = kAbsent;
  };
  std::size_t home(const Digest& key) const {
    return static_cast<std::size_t>(mix64(key.high, key.low)) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (const Slot& slot : old) {
      if (slot.value != kAbsent) insert(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace dissensus::xrpl
