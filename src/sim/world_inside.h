// What only the files of the world itself see: its nodes and their contexts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/world.h"

namespace dissensus::sim {

/// The Context of one node.
class World::NodeContext final : public Context {
 public:
  NodeContext(World& world, NodeId self, NodeId host)
      : Context(world.description_, world.pool_), world_(world), self_(self), host_(host) {}

  NodeId self() const override { return self_; }
  std::size_t node_count() const override { return world_.plan_.nodes; }
  std::span<const NodeId> peers() const override { return world_.plan_.peers[self_]; }
  Time now() const override { return world_.local_time(self_); }
  void send_message(NodeId to, const Message& message) override { world_.send(host_, to, message); }
  TimerId set_timer(Duration delay, std::uint64_t tag) override {
    return world_.set_timer(host_, delay, tag);
  }
  void cancel_timer(TimerId timer) override { world_.cancel_timer(timer); }
  Random& random() override;
  Disk& disk() override { return world_.disk_of(host_); }
  void proposed(Level level, std::uint64_t instance, const Digest& value) override {
    world_.report(EventType::propose, host_, level, instance, value);
  }
  void decided(Level level, std::uint64_t instance, const Digest& value) override {
    world_.report(EventType::decide, host_, level, instance, value);
  }
  void phase(std::uint32_t phase) override { world_.enter_phase(host_, phase); }
  void round(std::uint64_t round) override { world_.enter_round(host_, round); }
  void observe(std::uint32_t observable, std::int64_t value) override {
    world_.report(EventType::observe, host_, static_cast<std::uint8_t>(observable),
                  static_cast<std::uint64_t>(value), Digest{});
  }
  void broken(std::uint32_t invariant, std::uint64_t number) override;
  void operation(const history::OperationReport& report) override;
  void log(std::string_view text) override {
    if (!world_.wants_log_ || world_.is_beyond_end_) return;
    Event event;
    event.type = EventType::log;
    event.node = self_;
    event.text = text;
    event.cause = world_.current_cause_;
    // Not World::emit: a log line takes no number, so that logging leaves the run as it is.
    event.id = world_.last_event();
    event.time = world_.queue_.now();
    world_.sink_.on_event(event);
  }
  bool logging() const override { return world_.wants_log_; }
  void step(std::uint32_t step, std::span<const StateValue> arguments) override;
  bool stepping() const override { return world_.wants_steps_; }

 private:
  World& world_;
  NodeId self_;
  NodeId host_;  ///< differs from self_ for a twin
};

struct World::Host {
  Host(World& world, NodeId id, NodeId host, std::uint64_t seed)
      : context(world, id, host), random(seed, "node", host) {}
  NodeContext context;
  Random random;
  std::unique_ptr<Node> node;
  std::uint64_t round = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t pauses = 0;     ///< under way
  std::uint32_t paused_us = 0;  ///< all pauses that are over, modulo 2^32
  Time paused_since{};
  std::vector<Slot> held;  ///< what came during the pause, in order
  /// Timers that were due during the pause, and when.
  std::vector<std::pair<std::uint32_t, Time>> held_timers;
  bool running = true;
  bool started = false;
};

}  // namespace dissensus::sim
