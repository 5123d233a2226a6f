#include "faults/priority_inbox.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"

namespace dissensus::faults {

void PriorityInbox::push(std::uint32_t priority, HeldTransmission&& held) {
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    slots_.push_back(std::move(held));
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = std::move(held);
  }
  heap_.push_back({arrivals_++, priority, slot});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

HeldTransmission PriorityInbox::pop() {
  DISSENSUS_ASSERT(!heap_.empty(), "PriorityInbox::pop : not empty");
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const std::uint32_t slot = heap_.back().slot;
  heap_.pop_back();
  free_slots_.push_back(slot);
  return std::move(slots_[slot]);
}

}  // namespace dissensus::faults
