#include "faults/online_interposer.h"

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "faults/schedulers.h"

namespace dissensus::faults {

namespace {
constexpr std::uint64_t kBehindMax = 3;
/// A message that was never passed on is due so long after the end of the run.
constexpr Duration kAfterEnd = std::chrono::milliseconds(1);
}  // namespace

OnlineRun::OnlineRun(dissensus::Scheduler& scheduler, const GeneSpace& genes,
                     const PriorityRate& rate)
    : scheduler_(scheduler),
      genes_(genes),
      picks_(scheduler.picks()),
      recorder_(genes),
      rate_(rate, genes.size()),
      nodes_(genes.nodes) {}

void OnlineRun::attach(sim::World& world) {
  last_tick_ = world.now();
  hold_ = scheduler_.hold();
  DISSENSUS_ASSERT(hold_ >= Duration{}, "Scheduler::hold : not negative");
  scheduler_.start(genes_.nodes, genes_.kinds);
}

void OnlineRun::pass(sim::World& world, HeldTransmission&& held) {
  const sim::Transmission& sent = held.transmission;
  MessageSchedule::Delay name = recorder_.name(sent);
  const PendingMessage message{
      sent.from, sent.to, sent.message.kind(), sent.message.digest().low, number_++, world.now()};
  if (picks_) {
    wait(world, std::move(held), message, name);
    return;
  }
  name.delay = scheduler_.delay(message);
  DISSENSUS_ASSERT(name.delay >= Duration{}, "Scheduler::delay : not negative");
  recorder_.add(name);
  queue_.hold(world, std::move(held), name.delay);
}

void OnlineRun::wait(sim::World& world, HeldTransmission&& held, const PendingMessage& message,
                     const MessageSchedule::Delay& name) {
  if (inbox_.size() >= kInboxMax) {
    world.drop(held.transmission, DropReason::buffer_full);
    return;
  }
  if (inbox_.empty()) {
    const Duration next = interval(1);
    const Duration since_tick = world.now() - last_tick_;
    last_tick_ += since_tick / next * next;
    if (hold_ != Duration{}) last_tick_ = world.now();
    world.set_alarm(last_tick_ + next - world.now(), kReleaseAlarm);
  }
  inbox_.push_back(message);
  waiting_.push_back({std::move(held), name});
  scheduler_.arrived(message);
}

Duration OnlineRun::interval(std::size_t waiting) const {
  if (hold_ == Duration{}) return rate_.interval();
  // Little's law: with a rate of inbox / hold, a message waits for `hold` on average.
  return std::max(hold_ / static_cast<std::int64_t>(waiting), Duration{1});
}

void OnlineRun::release(sim::World& world, std::size_t index) {
  Waiting chosen = std::move(waiting_[index]);
  chosen.name.delay = world.now() - inbox_[index].sent;
  inbox_.erase(inbox_.begin() + static_cast<std::ptrdiff_t>(index));
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
  recorder_.add(chosen.name);
  world.deliver(std::move(chosen.held.transmission), chosen.held.extra);
}

void OnlineRun::on_alarm(sim::World& world) {
  if (!picks_) {
    queue_.on_alarm(world);
    return;
  }
  if (inbox_.empty()) return;  // all was released before this alarm
  const std::size_t index = scheduler_.pick(inbox_);
  DISSENSUS_ASSERT(index < inbox_.size(), "Scheduler::pick : an index of the inbox");
  last_tick_ = world.now();
  rate_.adjust(inbox_.size() - 1);
  if (inbox_.size() > 1) world.set_alarm(interval(inbox_.size() - 1), kReleaseAlarm);
  release(world, index);
}

void OnlineRun::release_all(sim::World& world) {
  queue_.release_all(world);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    // What arrived in this very moment waits for no time at all, and needs no record.
    waiting_[i].name.delay = world.now() - inbox_[i].sent;
    recorder_.add(waiting_[i].name);
    world.deliver(std::move(waiting_[i].held.transmission), waiting_[i].held.extra);
  }
  inbox_.clear();
  waiting_.clear();
}

void OnlineRun::forget_all() {
  queue_.forget_all();
  inbox_.clear();
  waiting_.clear();
}

void OnlineRun::on_state(const Event& event) {
  NodeState& node = nodes_[event.node];
  if (event.type == EventType::phase) {
    node.phase = event.number;
  } else {
    node.round = event.number;
    last_round_ = std::max(last_round_, event.number);
  }
  const std::uint64_t behind = std::min(last_round_ - node.round, kBehindMax);
  scheduler_.state_changed(event.node, node.phase + 256 * behind);
}

MessageSchedule OnlineRun::recorded(Time end) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    waiting_[i].name.delay = end - inbox_[i].sent + kAfterEnd;
    recorder_.add(waiting_[i].name);
  }
  return recorder_.finish();
}

}  // namespace dissensus::faults
