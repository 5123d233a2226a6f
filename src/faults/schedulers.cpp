#include "faults/schedulers.h"

#include <utility>

#include "core/assert.h"

namespace dissensus::faults {

DelayScheduler::DelayScheduler(const DelaySchedule& schedule, const GeneSpace& genes)
    : genes_(genes), delay_ms_(schedule.delay_ms.data()) {
  DISSENSUS_ASSERT(schedule.delay_ms.size() == genes.size(), "DelayScheduler : one delay per gene");
}

PriorityScheduler::PriorityScheduler(const PrioritySchedule& schedule, const GeneSpace& genes)
    : genes_(genes), priority_(schedule.priority.data()), rate_(schedule.rate, genes.size()) {
  DISSENSUS_ASSERT(schedule.priority.size() == genes.size(),
                   "PriorityScheduler : one priority per gene");
}

void PriorityScheduler::pass(sim::World& world, HeldTransmission&& held) {
  if (inbox_.size() >= kInboxMax) {
    world.drop(held.transmission, DropReason::buffer_full);
    return;
  }
  if (inbox_.empty()) {
    const Duration since_tick = world.now() - last_tick_;
    last_tick_ += since_tick / rate_.interval() * rate_.interval();
    world.set_alarm(last_tick_ + rate_.interval() - world.now(), kReleaseAlarm);
  }
  const sim::Transmission& sent = held.transmission;
  const std::size_t gene = genes_.index(sent.from, sent.to, sent.message.kind());
  inbox_.push(priority_[gene], std::move(held));
}

void PriorityScheduler::on_alarm(sim::World& world) {
  if (inbox_.empty()) return;  // all was released before this alarm
  HeldTransmission held = inbox_.pop();
  last_tick_ = world.now();
  rate_.adjust(inbox_.size());
  if (!inbox_.empty()) world.set_alarm(rate_.interval(), kReleaseAlarm);
  world.deliver(std::move(held.transmission), held.extra);
}

void PriorityScheduler::release_all(sim::World& world) {
  while (!inbox_.empty()) {
    HeldTransmission held = inbox_.pop();
    world.deliver(std::move(held.transmission), held.extra);
  }
}

}  // namespace dissensus::faults
