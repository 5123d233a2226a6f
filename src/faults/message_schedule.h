// Carries out a MessageSchedule, and records one.
//
// A message whose delay is not zero is held and passed on by an alarm, not given to the world with
// a later time: recorder and replay then act at the same moments, and events of one microsecond
// keep their order.
#pragma once

#include <cstdint>
#include <vector>

#include "faults/priority_inbox.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::faults {

/// Messages that are passed on at a given time each; of equal times the first one held goes first.
class HoldQueue {
 public:
  /// Sets an alarm (kReleaseAlarm) for the message; passes it on at once where the delay is zero.
  void hold(sim::World& world, HeldTransmission&& held, Duration delay);
  void on_alarm(sim::World& world);
  /// In the order in which they were held.
  void release_all(sim::World& world);
  void forget_all() { heap_.clear(); }
  std::size_t size() const { return heap_.size(); }

 private:
  struct Entry {
    Time due{};
    std::uint64_t order = 0;
    HeldTransmission held;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
  }

  std::vector<Entry> heap_;
  std::uint64_t order_ = 0;
};

/// A scheduler as schedulers.h says.
class MessageScheduler {
 public:
  MessageScheduler(const MessageSchedule& schedule, const GeneSpace& genes);
  void attach(sim::World&) {}
  void pass(sim::World& world, HeldTransmission&& held);
  void on_alarm(sim::World& world) { queue_.on_alarm(world); }
  void release_all(sim::World& world) { queue_.release_all(world); }
  void forget_all() { queue_.forget_all(); }

 private:
  struct Gene {
    std::uint32_t next = 0;   ///< the first delay of this gene that is still to come
    std::uint32_t count = 0;  ///< messages so far
  };

  GeneSpace genes_;
  const std::vector<MessageSchedule::Delay>* delays_;
  std::vector<Gene> state_;
  HoldQueue queue_;
};

/// Writes down the delays of messages.
class MessageRecorder {
 public:
  explicit MessageRecorder(const GeneSpace& genes) : genes_(genes), count_(genes.size()) {}
  /// Which message of the run this is: counts it. To be called once for each message passed.
  MessageSchedule::Delay name(const sim::Transmission& transmission);
  void add(MessageSchedule::Delay delay) {
    if (delay.delay > Duration{}) delays_.push_back(delay);
  }
  MessageSchedule finish();

 private:
  GeneSpace genes_;
  std::vector<std::uint32_t> count_;  ///< by gene
  std::vector<MessageSchedule::Delay> delays_;
};

}  // namespace dissensus::faults
