// When a message that survived the fault plan is passed on. A scheduler is a small value with
//   attach(world)               before the first message,
//   pass(world, held)           for each message,
//   on_alarm(world)             for its own alarm, kReleaseAlarm,
//   release_all(world)          when scheduling is over: pass on all that is held, at once,
//   forget_all()                when the run is over.
#pragma once

#include <cstdint>

#include "faults/priority_inbox.h"
#include "faults/release_rate.h"
#include "faults/schedule.h"
#include "sim/world.h"

namespace dissensus::faults {

/// The alarm tag of schedulers; the fault plan uses small numbers.
inline constexpr std::uint64_t kReleaseAlarm = ~std::uint64_t{0};

/// Every message takes its link's time.
class PlainScheduler {
 public:
  void attach(sim::World&) {}
  void pass(sim::World& world, HeldTransmission&& held) {
    world.deliver(std::move(held.transmission), held.extra);
  }
  void on_alarm(sim::World&) {}
  void release_all(sim::World&) {}
  void forget_all() {}
};

/// Thesis Algorithm 3.
class DelayScheduler {
 public:
  DelayScheduler(const DelaySchedule& schedule, const GeneSpace& genes);
  void attach(sim::World&) {}
  void pass(sim::World& world, HeldTransmission&& held) {
    const sim::Transmission& sent = held.transmission;
    const std::size_t gene = genes_.index(sent.from, sent.to, sent.message.kind());
    const Duration delay = std::chrono::milliseconds(delay_ms_[gene]);
    world.deliver(std::move(held.transmission), held.extra + delay);
  }
  void on_alarm(sim::World&) {}
  void release_all(sim::World&) {}
  void forget_all() {}

 private:
  GeneSpace genes_;
  const std::uint32_t* delay_ms_;
};

/// Thesis Algorithm 2. The loop ticks on a grid of 1/rate from the moment of attaching; a tick with
/// an empty inbox does nothing, so only ticks that release something are ever simulated. A message
/// that finds the inbox empty waits for the first tick strictly after its sending.
class PriorityScheduler {
 public:
  PriorityScheduler(const PrioritySchedule& schedule, const GeneSpace& genes);
  void attach(sim::World& world) { last_tick_ = world.now(); }
  void pass(sim::World& world, HeldTransmission&& held);
  void on_alarm(sim::World& world);
  void release_all(sim::World& world);
  void forget_all() { inbox_.clear(); }

 private:
  GeneSpace genes_;
  const std::uint32_t* priority_;
  ReleaseRate rate_;
  PriorityInbox inbox_;
  Time last_tick_{};  ///< a tick, executed or not, with which later ticks keep step
};

/// More messages than this in the inbox are lost, and recorded as lost (buffer_full).
inline constexpr std::size_t kInboxMax = 4'000'000;

}  // namespace dissensus::faults
