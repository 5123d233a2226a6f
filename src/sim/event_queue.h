// The pending events of one simulation, in order of time; ties go to the one pushed first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dissensus/time.h"

#include "core/assert.h"

namespace dissensus::sim {

/// A four-ary heap of 16-byte entries plus a first-in-first-out lane for "right now". The lane is
/// exact: an entry pushed for the current time was pushed after every entry that the heap holds
/// for that time, so heap first, lane second is the order of pushing.
class EventQueue {
 public:
  bool empty() const { return heap_.empty() && lane_read_ == lane_.size(); }
  std::size_t size() const { return heap_.size() + lane_.size() - lane_read_; }
  Time now() const { return time_of_microseconds(now_); }

  void clear() {
    heap_.clear();
    lane_.clear();
    lane_read_ = 0;
    now_ = 0;
    order_ = 0;
  }

  /// `time` must not lie before now().
  void push(Time time, std::uint32_t slot) {
    const std::int64_t at = microseconds_of(time);
    DISSENSUS_ASSERT(at >= now_, "EventQueue::push : no event in the past");
    if (at == now_) {
      lane_.push_back(slot);
      return;
    }
    DISSENSUS_ASSERT(order_ != UINT32_MAX, "EventQueue::push : order numbers not exhausted");
    heap_.emplace_back();
    sift_up(heap_.size() - 1, {at, (std::uint64_t{order_++} << 32) | slot});
  }

  /// All entries as (time, slot), in the order in which they would be taken.
  std::vector<std::pair<Time, std::uint32_t>> entries() const {
    std::vector<Entry> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), before);
    std::vector<std::pair<Time, std::uint32_t>> result;
    const auto add = [&result](const Entry& entry) {
      result.emplace_back(time_of_microseconds(entry.time),
                          static_cast<std::uint32_t>(entry.order_and_slot));
    };
    auto entry = sorted.begin();
    for (; entry != sorted.end() && entry->time == now_; ++entry) add(*entry);
    for (std::size_t i = lane_read_; i < lane_.size(); ++i) result.emplace_back(now(), lane_[i]);
    for (; entry != sorted.end(); ++entry) add(*entry);
    return result;
  }

  /// Time of the next entry; the queue must not be empty.
  Time next_time() const {
    if (lane_read_ != lane_.size()) return time_of_microseconds(now_);
    return time_of_microseconds(heap_.front().time);
  }

  /// Removes the next entry, advances now() to its time, and returns its slot.
  std::uint32_t pop() {
    if (lane_read_ != lane_.size() && (heap_.empty() || heap_.front().time != now_)) {
      const std::uint32_t slot = lane_[lane_read_++];
      if (lane_read_ == lane_.size()) {
        lane_.clear();
        lane_read_ = 0;
      }
      return slot;
    }
    const Entry top = heap_.front();
    now_ = top.time;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return static_cast<std::uint32_t>(top.order_and_slot);
  }

 private:
  static constexpr std::size_t kArity = 4;

  struct Entry {
    std::int64_t time = 0;
    std::uint64_t order_and_slot = 0;  ///< order numbers are unique, so the slot never decides
  };

  /// Compared as one wide number, which compiles to code without branches: which of four children
  /// is the smallest is a coin toss that no branch predictor can win.
  static bool before(const Entry& a, const Entry& b) {
    __extension__ using Wide = unsigned __int128;
    const auto wide = [](const Entry& entry) {
      return (static_cast<Wide>(static_cast<std::uint64_t>(entry.time)) << 64) |
             entry.order_and_slot;
    };
    return wide(a) < wide(b);
  }
  void sift_up(std::size_t index, const Entry& entry) {
    while (index > 0) {
      const std::size_t parent = (index - 1) / kArity;
      if (!before(entry, heap_[parent])) break;
      heap_[index] = heap_[parent];
      index = parent;
    }
    heap_[index] = entry;
  }
  /// Puts `entry` in the place of the removed root: walk the hole down to a leaf along the smaller
  /// children, then up again. The last entry is nearly always large, so this saves comparisons.
  void sift_down(const Entry& entry) {
    const std::size_t count = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * kArity + 1;
      if (first >= count) break;
      const std::size_t end = first + kArity < count ? first + kArity : count;
      std::size_t best = first;
      if (end - first == kArity) {
        const std::size_t left = first + (before(heap_[first + 1], heap_[first]) ? 1u : 0u);
        const std::size_t right =
            first + 2 + (before(heap_[first + 3], heap_[first + 2]) ? 1u : 0u);
        best = before(heap_[right], heap_[left]) ? right : left;
      } else {
        for (std::size_t child = first + 1; child < end; ++child) {
          best = before(heap_[child], heap_[best]) ? child : best;
        }
      }
      heap_[hole] = heap_[best];
      hole = best;
    }
    sift_up(hole, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> lane_;
  std::size_t lane_read_ = 0;
  std::int64_t now_ = 0;
  std::uint32_t order_ = 0;
};

}  // namespace dissensus::sim
