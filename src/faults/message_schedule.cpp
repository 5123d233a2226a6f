#include "faults/message_schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/assert.h"
#include "faults/schedulers.h"

namespace dissensus::faults {

// ---- holding

void HoldQueue::hold(sim::World& world, HeldTransmission&& held, Duration delay) {
  if (delay == Duration{}) {
    world.deliver(std::move(held.transmission), held.extra);
    return;
  }
  if (heap_.size() >= kInboxMax) {
    world.drop(held.transmission, DropReason::buffer_full);
    return;
  }
  world.set_alarm(delay, kReleaseAlarm);
  heap_.push_back({world.now() + delay, order_++, std::move(held)});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void HoldQueue::on_alarm(sim::World& world) {
  while (!heap_.empty() && heap_.front().due <= world.now()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    HeldTransmission held = std::move(heap_.back().held);
    heap_.pop_back();
    world.deliver(std::move(held.transmission), held.extra);
  }
}

void HoldQueue::release_all(sim::World& world) {
  std::sort(heap_.begin(), heap_.end(),
            [](const Entry& a, const Entry& b) { return a.order < b.order; });
  for (Entry& entry : heap_) {
    world.deliver(std::move(entry.held.transmission), entry.held.extra);
  }
  heap_.clear();
}

// ---- carrying out

MessageScheduler::MessageScheduler(const MessageSchedule& schedule, const GeneSpace& genes)
    : genes_(genes), delays_(&schedule.delays), state_(genes.size()) {
  for (std::size_t i = delays_->size(); i > 0; --i) {
    const MessageSchedule::Delay& delay = (*delays_)[i - 1];
    DISSENSUS_ASSERT(delay.gene < genes.size(), "MessageScheduler : genes of the system");
    DISSENSUS_ASSERT(i == 1 || std::tie((*delays_)[i - 2].gene, (*delays_)[i - 2].nth) <
                                   std::tie(delay.gene, delay.nth),
                     "MessageScheduler : delays ascend by gene and number");
    state_[delay.gene].next = static_cast<std::uint32_t>(i - 1);
  }
}

void MessageScheduler::pass(sim::World& world, HeldTransmission&& held) {
  const sim::Transmission& sent = held.transmission;
  const std::size_t index = genes_.index(sent.from, sent.to, sent.message.kind());
  Gene& gene = state_[index];
  Duration delay{};
  if (gene.next < delays_->size()) {
    const MessageSchedule::Delay& next = (*delays_)[gene.next];
    if (next.gene == index && next.nth == gene.count) {
      delay = next.delay;
      ++gene.next;
    }
  }
  ++gene.count;
  queue_.hold(world, std::move(held), delay);
}

// ---- recording

MessageSchedule::Delay MessageRecorder::name(const sim::Transmission& transmission) {
  const std::size_t gene =
      genes_.index(transmission.from, transmission.to, transmission.message.kind());
  return {static_cast<std::uint32_t>(gene), count_[gene]++, Duration{}};
}

MessageSchedule MessageRecorder::finish() {
  std::sort(delays_.begin(), delays_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.gene, a.nth) < std::tie(b.gene, b.nth);
  });
  return {std::move(delays_)};
}

}  // namespace dissensus::faults
