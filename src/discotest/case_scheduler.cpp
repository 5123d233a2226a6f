#include "discotest/case_scheduler.h"

#include <utility>

#include "faults/schedulers.h"

namespace dissensus::discotest {

CaseScheduler::CaseScheduler(const faults::GeneSpace& genes, const faults::PriorityRate& rate)
    : genes_(genes), rate_(rate, genes.size()) {}

void CaseScheduler::begin_case(sim::World& world, const faults::Schedule& schedule) {
  delays_ = std::get_if<faults::DelaySchedule>(&schedule.scheduler);
  priorities_ = std::get_if<faults::PrioritySchedule>(&schedule.scheduler);
  if (priorities_ == nullptr || ticking_) return;
  ticking_ = true;
  world.set_alarm(rate_.interval(), faults::kReleaseAlarm);
}

void CaseScheduler::end_case(sim::World& world) {
  delays_ = nullptr;
  priorities_ = nullptr;
  while (!inbox_.empty()) {
    faults::HeldTransmission held = inbox_.pop();
    world.deliver(std::move(held.transmission), held.extra);
  }
}

void CaseScheduler::pass(sim::World& world, sim::Transmission&& transmission) {
  if (delays_ == nullptr && priorities_ == nullptr) {
    world.deliver(std::move(transmission), Duration{});
    return;
  }
  const std::size_t gene =
      genes_.index(transmission.from, transmission.to, transmission.message.kind());
  if (delays_ != nullptr) {
    const Duration delay = std::chrono::milliseconds(delays_->delay_ms[gene]);
    world.deliver(std::move(transmission), delay);
    return;
  }
  inbox_.push(priorities_->priority[gene], {std::move(transmission), Duration{}});
}

void CaseScheduler::on_alarm(sim::World& world) {
  if (priorities_ == nullptr) {
    ticking_ = false;  // frozen until the next case
    return;
  }
  if (!inbox_.empty()) {
    faults::HeldTransmission held = inbox_.pop();
    world.deliver(std::move(held.transmission), held.extra);
  }
  rate_.adjust(inbox_.size());
  world.set_alarm(rate_.interval(), faults::kReleaseAlarm);
}

}  // namespace dissensus::discotest
