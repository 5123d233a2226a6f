// The world: nodes, links, timers and virtual time of one simulation. Knows no protocol, no fault.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dissensus/node.h"
#include "dissensus/random.h"
#include "dissensus/system.h"

#include "core/event.h"
#include "sim/clock.h"
#include "sim/disk.h"
#include "sim/event_queue.h"
#include "sim/interposer.h"
#include "sim/memory.h"
#include "sim/outcome.h"
#include "sim/plan.h"

namespace dissensus::sim {

class World : private DiskHost {
 public:
  /// All references must outlive the world; `interposer` and `clock` may be null.
  World(const WorldPlan& plan, const System& system, std::uint64_t seed, EventSink& sink,
        Interposer* interposer, Clock* clock, WorldMemory& memory);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Runs until something stops it; may be called again to continue. With `until_event` not 0 it
  /// returns after the step in which that event was recorded.
  StopReason run(EventId until_event = 0);
  /// The call of a node that is under way, or that an exception left.
  struct Call {
    EventType type = EventType::start;  ///< deliver, timer, submit, start, restart, disk or log
    NodeId node = kNoNode;              ///< none: no node is called
    NodeId peer = kNoNode;              ///< deliver: from whom
    MessageKind kind = kNoKind;
  };
  const Call& call() const { return call_; }
  /// The event that is handled.
  EventId handled() const { return current_cause_ != 0 ? current_cause_ : last_event(); }
  /// Ends run() after the current step.
  void request_stop() { stop_requested_ = true; }

  Time now() const { return queue_.now(); }
  EventId last_event() const { return next_event_ - 1; }
  const WorldCounters& counters() const { return counters_; }
  /// Null unless the nodes live outside the simulation.
  Outside* outside() const { return outside_; }
  std::size_t node_count() const { return plan_.nodes; }
  bool is_running(NodeId node) const;
  std::uint64_t round_of(NodeId node) const;
  const SystemDescription& description() const { return description_; }
  MessagePool& pool() { return pool_; }

  /// The run is over: nodes that have ended since their last call say so.
  void look_at_nodes();

  // After the end (run/stall.h).

  /// Identity of everything that the rest of the run depends on, whatever time it is. Nothing where
  /// that cannot be told: a node is not foreseeable, faults or clients are still to come, clocks
  /// drift, a disk is in use.
  std::optional<Digest> situation() const;
  /// One more step that nobody sees and no limit stops. False: nothing is left to happen.
  bool step_beyond_end();
  bool decided_beyond_end() const { return decided_beyond_end_; }

  // For interposers.

  /// A client's request beside those of the plan, now.
  void submit(NodeId node, std::shared_ptr<const Request> request);

  /// Delivers after the link's latency plus `extra`.
  void deliver(Transmission&& transmission, Duration extra);
  void drop(const Transmission& transmission, DropReason reason);
  /// Calls Interposer::on_alarm after `delay`.
  void set_alarm(Duration delay, std::uint64_t tag);
  /// Stops a node: it loses its timers and everything that arrives. No effect if it is down.
  void crash(NodeId node);
  void restart(NodeId node);
  /// Makes a second copy of a node, under the same identity and with randomness of its own, and
  /// returns what Transmission::to_twin names it by; kNoNode once the run has begun. It starts with
  /// the node; messages reach it only where the interposer says so.
  NodeId add_twin(NodeId node);
  /// Stops all copies; the nodes themselves go on.
  void stop_twins();
  /// Stops a node that goes on later, its clock with it: what arrives and what is due waits. No
  /// effect on nodes that are down; a crash ends the pause. Pauses of one node are counted.
  void pause(NodeId node);
  void resume(NodeId node);
  /// What faults make of a node's disk; valid until the world ends.
  DiskTrouble& disk_trouble(NodeId node);
  /// Shows all disks to somebody, until that one or the world ends.
  void watch_disks(DiskWatcher& watcher) { disk_watchers_.push_back(&watcher); }
  void unwatch_disks(DiskWatcher& watcher) { std::erase(disk_watchers_, &watcher); }
  /// Changes a node's clock from now on: adds to its offset and to its drift.
  void adjust_clock(NodeId node, Duration offset, std::int32_t drift_ppm);
  /// Adds an event that only the interposer knows of (partition, heal, duplicate, mutate).
  EventId record(EventType type, NodeId node, NodeId peer, std::uint64_t number,
                 std::string_view text, EventId cause = 0, const Message* message = nullptr);
  /// Tells whoever watches that the interposer has just made this node lie.
  void lied(NodeId node) { sink_.on_lie(node); }

  // For run/: continuing a recorded run differently.

  /// Replaces the interposer (may be null); what the old one held is delivered.
  void replace_interposer(Interposer* interposer);
  /// From now on nodes and links draw from the streams of another seed.
  void reseed(std::uint64_t seed);
  /// Ends the fault phase of the scenario, after the current step.
  void end_fault_phase() { phase_end_pending_ = true; }

 private:
  class NodeContext;
  friend class NodeContext;
  friend class WorldMemory;
  enum class SlotType : std::uint8_t {
    free,
    deliver,
    timer,
    submit,
    alarm,
    start,
    phase_end,
    happening,
    disk,
    cancelled
  };
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;
  /// Small, because large networks have tens of thousands of messages under way.
  struct Slot {
    Message message;
    std::uint64_t tag = 0;
    std::uint32_t cause = 0;        ///< event numbers stay below kEventsMax
    std::uint32_t next = kNoSlot;   ///< happens at the same time, right after this one
    std::uint32_t generation = 0;   ///< distinguishes the timers that used this slot
    std::uint32_t incarnation = 0;  ///< of the node (timers) or of the interposer (alarms)
    std::uint32_t block = 0;        ///< deliveries to several receivers: where they are listed
    std::uint16_t receivers = 1;    ///< how many; their send events have consecutive numbers
    NodeId node = 0;
    NodeId peer = 0;
    SlotType type = SlotType::free;
  };
  static_assert(kEventsMax <= UINT32_MAX);
  static constexpr std::size_t kBlockReceivers = 64;
  using ReceiverBlock = std::array<NodeId, kBlockReceivers>;
  struct Host;
  struct LinkState {
    Time last_arrival{};
    std::uint64_t sent = 0;       ///< numbers the link's random draws
    std::uint32_t under_way = 0;  ///< counted only where some link has a bounded buffer
  };

  /// What adjust_clock made of a clock.
  struct ClockAdjustment {
    Duration offset{};
    Time since{};  ///< the drift counts from here
    std::int32_t drift_ppm = 0;
  };

  LinkState& link(NodeId from, NodeId to) { return links_[from * plan_.nodes + to]; }
  /// Hosts 0 to nodes - 1 are the nodes, those above are twins.
  NodeId identity(NodeId host) const {
    return host < plan_.nodes ? host : twin_of_[host - plan_.nodes];
  }
  std::uint32_t take_slot(SlotType type, NodeId node);
  void push(Duration delay, std::uint32_t slot);
  void count_pending();
  bool wait_for_outside(Time time_limit);
  void step();
  void execute(const Slot& slot, TimerId timer);
  void execute_delivery(NodeId from, NodeId to, const Message& message, EventId send_event);
  bool join_last(NodeId from, NodeId to, const Message& message, EventId send_event, Time time);
  std::uint32_t take_block();
  void send(NodeId host, NodeId to, const Message& message);
  void send_over_link(const LinkModel& model, Transmission&& transmission);
  void transmit(Transmission&& transmission);
  void enqueue(NodeId from, NodeId to, Message&& message, EventId send_event, Duration delay);
  Disk& disk_of(NodeId host);
  Time disk_now() const override { return queue_.now(); }
  void disk_alarm(NodeId host, Duration delay, std::uint64_t sync) override;
  void disk_event(NodeId host, DiskEvent event, std::uint64_t bytes) override;
  std::span<DiskWatcher* const> disk_watchers() const override { return disk_watchers_; }
  bool hold_if_paused(Host& host, const Slot& slot);
  bool is_without_effect(const Slot& slot) const;
  bool add_pending(const Slot& slot, std::uint16_t first_receiver, Duration distance,
                   std::string& content) const;
  bool add_hosts(std::string& content) const;
  bool postpone_timer(std::uint32_t index);
  void enter_phase(NodeId host, std::uint32_t phase);
  TimerId set_timer(NodeId host, Duration delay, std::uint64_t tag);
  void cancel_timer(TimerId timer);
  EventId emit(Event& event);
  EventId emit_message(EventType type, const Transmission& transmission, EventId cause,
                       std::uint8_t detail = 0);
  void report(EventType type, NodeId host, std::uint8_t detail, std::uint64_t number,
              const Digest& value);
  void enter_round(NodeId host, std::uint64_t round);
  void finish_fault_phase();
  Time local_time(NodeId node) const;
  Duration adjustment(NodeId node) const;
  Duration global_delay(NodeId node, Duration local_delay) const;

  const WorldPlan& plan_;
  const SystemDescription& description_;
  EventSink& sink_;
  Interposer* interposer_;
  Clock* clock_;
  std::unique_ptr<Cluster> cluster_;  ///< before the memory is taken: making one may throw
  Outside* outside_;
  WorldMemory& memory_;
  std::unique_ptr<WorldMemory::Storage> storage_;
  MessagePool& pool_;
  EventQueue& queue_;
  std::vector<Slot>& slots_;
  std::vector<std::uint32_t>& free_slots_;
  std::vector<ReceiverBlock>& blocks_;
  std::vector<std::uint32_t>& free_blocks_;
  std::vector<LinkState>& links_;
  std::vector<Host>& hosts_;
  // Slots that were pushed one after another for the same time hang together, and only the first
  // is in the queue; sends of one message among them even share a slot. A broadcast over equal
  // links thus costs one queue entry and two bytes per receiver, in the same order as ever.
  std::uint32_t chain_ = kNoSlot;  ///< what is due now, before anything in the queue
  std::uint32_t last_pushed_ = kNoSlot;
  Time last_pushed_time_{};
  std::size_t pending_ = 0;
  std::uint16_t receiver_ = 0;       ///< of the slot that is due: whose turn it is
  std::vector<std::uint8_t> plain_;  ///< by link model: LinkModel::is_plain
  std::uint64_t seed_ = 0;
  std::uint64_t link_seed_ = 0;
  std::uint32_t interposer_incarnation_ = 0;
  EventId next_event_ = 1;
  EventId current_cause_ = 0;
  Call call_;
  std::uint64_t steps_before_instant_ = 0;
  std::size_t pending_before_call_ = 0;
  bool stop_requested_ = false;
  bool phase_end_pending_ = false;
  bool fault_phase_over_ = false;
  bool queue_overflow_ = false;
  bool happening_pending_ = false;  ///< the outside is asked again once it has been told
  bool is_beyond_end_ = false;
  bool decided_beyond_end_ = false;
  bool wants_log_ = false;
  bool wants_steps_ = false;
  bool bounded_ = false;                               ///< some link has a bounded buffer
  std::vector<NodeId> twin_of_;                        ///< by host - nodes
  std::vector<std::unique_ptr<SimulatedDisk>> disks_;  ///< by host, where one is used
  std::vector<DiskWatcher*> disk_watchers_;
  std::vector<std::shared_ptr<const Request>> requests_;  ///< submitted beside the plan
  std::vector<ClockAdjustment> adjustments_;              ///< by node; empty: no clock was adjusted
  WorldCounters counters_;
};

}  // namespace dissensus::sim
