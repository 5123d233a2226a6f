// The inbox of the priority scheduler: thesis section 3.2.1, Algorithm 2.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/time.h"

#include "sim/interposer.h"

namespace dissensus::faults {

/// A message that a scheduler passes on, and how much longer than its link it takes.
struct HeldTransmission {
  sim::Transmission transmission;
  Duration extra{};
};

/// Highest priority first; of equal priorities the one that came first. Memory is reused.
class PriorityInbox {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  void push(std::uint32_t priority, HeldTransmission&& held);
  /// The inbox must not be empty.
  HeldTransmission pop();
  void clear() {
    heap_.clear();
    slots_.clear();
    free_slots_.clear();
  }

 private:
  struct Entry {
    std::uint64_t arrival;
    std::uint32_t priority;
    std::uint32_t slot;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.arrival > b.arrival;
  }

  std::vector<Entry> heap_;
  std::vector<HeldTransmission> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace dissensus::faults
