#include "faults/schedule_interposer.h"

#include <algorithm>
#include <utility>

#include "faults/byzantine_plan.h"
#include "faults/environment_plan.h"
#include "faults/fault_plan.h"
#include "faults/message_schedule.h"
#include "faults/online_interposer.h"
#include "faults/schedulers.h"

namespace dissensus::faults {

namespace {

/// What happens to a message, in this order: partitions, drop faults, cuts, Byzantine faults,
/// delay faults, duplicate faults or unreliable links, scheduler.
template <class Scheduler>
class ScheduleInterposer final : public FaultInterposer {
 public:
  ScheduleInterposer(const Schedule& schedule, std::size_t nodes, std::size_t bystanders,
                     Scheduler scheduler)
      : acted_(schedule.faults.size()),
        plan_(schedule.faults, acted_, nodes, bystanders),
        environment_(schedule.faults, acted_, nodes, bystanders),
        byzantine_(schedule.faults, acted_, nodes),
        scheduler_(std::move(scheduler)),
        plan_sees_messages_(!plan_.ignores_messages()) {}

  void attach(sim::World& world) override {
    plan_.attach(world);
    environment_.attach(world);
    byzantine_.attach(world);
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
    }
    if (environment_.sees_messages() &&
        environment_.separates(transmission.from, transmission.to)) {
      world.drop(transmission, DropReason::partition);
      return;
    }
    if (byzantine_.sees_messages()) {
      pass_by_liars(world, std::move(transmission));
    } else {
      pass(world, std::move(transmission));
    }
  }

  void on_alarm(sim::World& world, std::uint64_t tag) override {
    if (tag == kReleaseAlarm) {
      scheduler_.on_alarm(world);
    } else if ((tag & ByzantinePlan::kAlarmBit) != 0) {
      byzantine_.on_alarm(world, tag);
    } else if ((tag & EnvironmentPlan::kAlarmBit) != 0) {
      environment_.on_alarm(world, tag);
    } else {
      plan_.on_alarm(world, tag);
    }
  }
  void on_round(sim::World& world, NodeId node, std::uint64_t round) override {
    plan_.on_round(world, node, round);
    environment_.on_round(world, node, round);
    byzantine_.on_round(world, node, round);
  }
  void on_phase(sim::World& world, NodeId node, std::uint32_t phase) override {
    environment_.on_phase(world, node, phase);
  }
  void on_phase_end(sim::World& world) override { end(world); }
  void detach(sim::World& world) override { end(world); }
  void abandon() override {
    scheduler_.forget_all();
    byzantine_.forget();
  }
  std::vector<std::size_t> idle_faults(sim::World& world) override {
    environment_.conclude(world);
    return acted_.idle();
  }

 private:
  void pass(sim::World& world, sim::Transmission&& transmission) {
    Duration late{};
    if (plan_sees_messages_) {
      late = plan_.lateness(world, transmission);
      const std::span<const Duration> gaps = plan_.copies(world, transmission);
      if (!gaps.empty()) {
        pass_with_copies(world, std::move(transmission), late, gaps);
        return;
      }
    }
    if (environment_.sees_messages()) {
      pass_unreliably(world, std::move(transmission), late);
      return;
    }
    scheduler_.pass(world, {std::move(transmission), late});
  }
  void pass_unreliably(sim::World& world, sim::Transmission&& transmission, Duration late) {
    const EnvironmentPlan::Fate fate = environment_.judge(world, transmission);
    if (fate.lost) {
      world.drop(transmission, DropReason::schedule);
      return;
    }
    if (fate.twice) {
      record_duplicate(world, transmission);
      scheduler_.pass(world, {transmission, late + fate.copy_late});
    }
    scheduler_.pass(world, {std::move(transmission), late + fate.late});
  }
  void pass_by_liars(sim::World& world, sim::Transmission&& transmission) {
    ByzantinePlan::Fate fate = byzantine_.judge(world, transmission);
    if (!fate.passes) {
      world.drop(transmission, fate.reason);
      return;
    }
    const ByzantinePlan::Copies copies = byzantine_.receivers_of(transmission);
    byzantine_.note_copies(transmission, copies);
    if (copies.second != kNoNode) {
      sim::Transmission to_twin = transmission;
      to_twin.to_twin = copies.second;
      if (copies.first) {
        pass(world, std::move(transmission));
        record_duplicate(world, to_twin);
      }
      pass(world, std::move(to_twin));
    } else {
      pass(world, std::move(transmission));
    }
    if (!fate.replay) return;
    record_duplicate(world, *fate.replay);
    pass(world, std::move(*fate.replay));
  }
  static void record_duplicate(sim::World& world, const sim::Transmission& transmission) {
    world.record(EventType::duplicate, transmission.from, transmission.to, 0, {}, transmission.send,
                 &transmission.message);
  }
  void pass_with_copies(sim::World& world, sim::Transmission&& transmission, Duration late,
                        std::span<const Duration> gaps) {
    // The original first: a copy without gap arrives right behind it.
    scheduler_.pass(world, {transmission, late});
    for (const Duration gap : gaps) {
      record_duplicate(world, transmission);
      scheduler_.pass(world, {transmission, late + gap});
    }
  }
  void end(sim::World& world) {
    if (ended_) return;
    ended_ = true;
    scheduler_.release_all(world);
    plan_.end(world);
    environment_.end(world);
    byzantine_.end(world);
  }

  Acted acted_;  ///< before the plans, which write to it
  FaultPlan plan_;
  EnvironmentPlan environment_;
  ByzantinePlan byzantine_;
  Scheduler scheduler_;
  bool plan_sees_messages_;
  bool ended_ = false;
};

/// The run is elsewhere: it outlives the world and keeps the record.
class OnlineScheduler {
 public:
  explicit OnlineScheduler(OnlineRun& run) : run_(&run) {}
  void attach(sim::World& world) { run_->attach(world); }
  void pass(sim::World& world, HeldTransmission&& held) { run_->pass(world, std::move(held)); }
  void on_alarm(sim::World& world) { run_->on_alarm(world); }
  void release_all(sim::World& world) { run_->release_all(world); }
  void forget_all() { run_->forget_all(); }

 private:
  OnlineRun* run_;
};

}  // namespace

std::unique_ptr<FaultInterposer> make_online_interposer(const Schedule& schedule, std::size_t nodes,
                                                        OnlineRun& online, std::size_t bystanders) {
  return std::make_unique<ScheduleInterposer<OnlineScheduler>>(schedule, nodes, bystanders,
                                                               OnlineScheduler(online));
}

std::unique_ptr<FaultInterposer> make_interposer(const Schedule& schedule, std::size_t nodes,
                                                 std::size_t kinds, std::size_t bystanders) {
  if (schedule.empty()) return nullptr;
  const GeneSpace genes{nodes, kinds};
  if (const auto* delays = std::get_if<DelaySchedule>(&schedule.scheduler)) {
    return std::make_unique<ScheduleInterposer<DelayScheduler>>(schedule, nodes, bystanders,
                                                                DelayScheduler(*delays, genes));
  }
  if (const auto* priorities = std::get_if<PrioritySchedule>(&schedule.scheduler)) {
    return std::make_unique<ScheduleInterposer<PriorityScheduler>>(
        schedule, nodes, bystanders, PriorityScheduler(*priorities, genes));
  }
  if (const auto* messages = std::get_if<MessageSchedule>(&schedule.scheduler)) {
    return std::make_unique<ScheduleInterposer<MessageScheduler>>(
        schedule, nodes, bystanders, MessageScheduler(*messages, genes));
  }
  return std::make_unique<ScheduleInterposer<PlainScheduler>>(schedule, nodes, bystanders,
                                                              PlainScheduler());
}

}  // namespace dissensus::faults
