// Runs a dissensus::Scheduler in a simulated world and records what it decided.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dissensus/scheduler.h"

#include "core/event.h"
#include "faults/message_schedule.h"
#include "faults/release_rate.h"
#include "faults/schedule.h"
#include "faults/schedule_interposer.h"
#include "sim/world.h"

namespace dissensus::faults {

/// One run under an online scheduler: what it is asked, and the record of its answers.
///
/// The recorded MessageSchedule gives the same run again. A message that was passed on is released
/// at the same microsecond; one that still waited when the run ended is given a delay beyond the
/// end. Where the fault phase ends, what waits is released, then as now.
class OnlineRun final : public EventSink {
 public:
  OnlineRun(dissensus::Scheduler& scheduler, const GeneSpace& genes, const PriorityRate& rate);

  void attach(sim::World& world);
  void pass(sim::World& world, HeldTransmission&& held);
  void on_alarm(sim::World& world);
  void release_all(sim::World& world);
  void forget_all();

  /// Shows phases and rounds of nodes to the scheduler. What it is told (Scheduler::state_changed)
  /// is phase + 256 x (rounds behind the node that is furthest, at most 3).
  void on_event(const Event& event) override { on_state(event); }
  EventMask wants() const override {
    return EventMask().with(EventType::phase).with(EventType::round);
  }
  /// After the run, once.
  MessageSchedule recorded(Time end);

 private:
  struct Waiting {
    HeldTransmission held;
    MessageSchedule::Delay name;
  };
  struct NodeState {
    std::uint64_t phase = 0;
    std::uint64_t round = 0;
  };

  void wait(sim::World& world, HeldTransmission&& held, const PendingMessage& message,
            const MessageSchedule::Delay& name);
  void release(sim::World& world, std::size_t index);
  /// Until the next message is picked, with so many in the inbox.
  Duration interval(std::size_t waiting) const;
  void on_state(const Event& event);

  dissensus::Scheduler& scheduler_;
  GeneSpace genes_;
  bool picks_;
  std::uint64_t number_ = 0;
  MessageRecorder recorder_;
  HoldQueue queue_;  ///< schedulers that delay
  // Schedulers that pick: Algorithm 2 of the thesis, with another choice in the place of the
  // priority. Both by place in the inbox.
  std::vector<PendingMessage> inbox_;
  std::vector<Waiting> waiting_;
  ReleaseRate rate_;
  Duration hold_{};  ///< zero: rate_ decides
  Time last_tick_{};
  std::vector<NodeState> nodes_;
  std::uint64_t last_round_ = 0;
};

/// Like make_interposer, with `online` in the place of the schedule's scheduler. Both arguments
/// outlive the interposer.
std::unique_ptr<FaultInterposer> make_online_interposer(const Schedule& schedule, std::size_t nodes,
                                                        OnlineRun& online,
                                                        std::size_t bystanders = 0);

}  // namespace dissensus::faults
