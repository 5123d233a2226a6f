#include "faults/schedule_interposer.h"

#include <algorithm>
#include <utility>

#include "faults/fault_plan.h"
#include "faults/schedulers.h"

namespace dissensus::faults {

namespace {

/// What happens to a message, in this order: partitions, drop faults, duplicate faults, scheduler.
template <class Scheduler>
class ScheduleInterposer final : public sim::Interposer {
 public:
  ScheduleInterposer(const Schedule& schedule, std::size_t nodes, Scheduler scheduler)
      : plan_(schedule.faults, nodes),
        scheduler_(std::move(scheduler)),
        plan_sees_messages_(!plan_.ignores_messages()) {}

  void attach(sim::World& world) override {
    plan_.attach(world);
    scheduler_.attach(world);
  }

  void on_send(sim::World& world, sim::Transmission&& transmission) override {
    if (ended_) {
      world.deliver(std::move(transmission), Duration{});
      return;
    }
    if (plan_sees_messages_) {
      if (plan_.separates(transmission.from, transmission.to)) {
        world.drop(transmission, DropReason::partition);
        return;
      }
      if (plan_.drops(world, transmission)) {
        world.drop(transmission, DropReason::schedule);
        return;
      }
      const std::span<const Duration> gaps = plan_.copies(world, transmission);
      if (!gaps.empty()) {
        pass_with_copies(world, std::move(transmission), gaps);
        return;
      }
    }
    scheduler_.pass(world, {std::move(transmission), Duration{}});
  }

  void on_alarm(sim::World& world, std::uint64_t tag) override {
    if (tag == kReleaseAlarm) {
      scheduler_.on_alarm(world);
    } else {
      plan_.on_alarm(world, tag);
    }
  }
  void on_round(sim::World& world, NodeId node, std::uint64_t round) override {
    plan_.on_round(world, node, round);
  }
  void on_phase_end(sim::World& world) override { end(world); }
  void detach(sim::World& world) override { end(world); }
  void abandon() override { scheduler_.forget_all(); }

 private:
  void pass_with_copies(sim::World& world, sim::Transmission&& transmission,
                        std::span<const Duration> gaps) {
    // The original first: a copy without gap arrives right behind it.
    scheduler_.pass(world, {transmission, Duration{}});
    for (const Duration gap : gaps) {
      world.record(EventType::duplicate, transmission.from, transmission.to, 0, {},
                   transmission.send, &transmission.message);
      scheduler_.pass(world, {transmission, gap});
    }
  }
  void end(sim::World& world) {
    if (ended_) return;
    ended_ = true;
    scheduler_.release_all(world);
    plan_.end(world);
  }

  FaultPlan plan_;
  Scheduler scheduler_;
  bool plan_sees_messages_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<sim::Interposer> make_interposer(const Schedule& schedule, std::size_t nodes,
                                                 std::size_t kinds) {
  if (schedule.empty()) return nullptr;
  const GeneSpace genes{nodes, kinds};
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    return std::make_unique<ScheduleInterposer<DelayScheduler>>(schedule, nodes,
                                                                DelayScheduler(*delays, genes));
  }
  if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    return std::make_unique<ScheduleInterposer<PriorityScheduler>>(
        schedule, nodes, PriorityScheduler(*priorities, genes));
  }
  return std::make_unique<ScheduleInterposer<PlainScheduler>>(schedule, nodes, PlainScheduler());
}

}  // namespace dissensus::faults
