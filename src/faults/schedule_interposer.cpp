#include "faults/schedule_interposer.h"

#include <utility>

#include "faults/engine.h"
#include "faults/message_schedule.h"
#include "faults/online_interposer.h"
#include "faults/schedulers.h"

namespace dissensus::faults {

namespace {

/// The faults of a schedule, and behind them its scheduler.
template <class Scheduler>
class ScheduleInterposer final : public Engine {
 public:
  ScheduleInterposer(const Schedule& schedule, std::size_t nodes, std::size_t bystanders,
                     Scheduler scheduler)
      : Engine(schedule.faults, nodes, bystanders), scheduler_(std::move(scheduler)) {}

  void attach(sim::World& world) override {
    attach_effects(world);
    scheduler_.attach(world);
  }
  void on_send(sim::World& world, sim::Transmission&& transmission) override {
    if (has_ended()) {
      world.deliver(std::move(transmission), Duration{});
    } else if (sees_messages()) {
      cross(world, std::move(transmission));
    } else {
      scheduler_.pass(world, {std::move(transmission), Duration{}});
    }
  }
  void on_alarm(sim::World& world, std::uint64_t tag) override {
    if (tag == kReleaseAlarm) {
      scheduler_.on_alarm(world);
    } else {
      Engine::on_alarm(world, tag);
    }
  }
  void on_phase_end(sim::World& world) override { end(world); }
  void detach(sim::World& world) override { end(world); }
  void abandon() override {
    scheduler_.forget_all();
    forget_messages();
  }

 private:
  void pass_on(sim::World& world, HeldTransmission&& held) override {
    scheduler_.pass(world, std::move(held));
  }
  void end(sim::World& world) {
    if (!has_ended()) scheduler_.release_all(world);
    end_effects(world);
  }

  Scheduler scheduler_;
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
