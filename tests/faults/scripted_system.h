// A system whose nodes send what a script says, and a run of it whose events are lines of text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dissensus/system.h"

#include "faults/schedule_interposer.h"
#include "sim/world.h"

namespace dissensus::faults {

inline constexpr MessageKind kProposal = 0;
inline constexpr MessageKind kCommit = 1;

struct Letter {
  MessageKind which;
  std::uint64_t number;
  MessageKind kind() const { return which; }
};

/// Something a node does at a moment: send a letter, enter a round or a phase, or call the test.
struct Step {
  enum class Type { send, round, phase, clock, call };
  Type type;
  int at_ms;
  NodeId node;
  NodeId to = kNoNode;
  MessageKind kind = kProposal;
  std::uint64_t number = 0;
  std::function<void(sim::World&)> call;
  std::function<void(Time)> clock = nullptr;
};
inline Step send(int at_ms, NodeId from, NodeId to, MessageKind kind, std::uint64_t number) {
  return {Step::Type::send, at_ms, from, to, kind, number, nullptr};
}
inline Step enter_round(int at_ms, NodeId node, std::uint64_t round) {
  return {Step::Type::round, at_ms, node, kNoNode, kProposal, round, nullptr};
}
inline Step enter_phase(int at_ms, NodeId node, std::uint64_t phase) {
  return {Step::Type::phase, at_ms, node, kNoNode, kProposal, phase, nullptr};
}
/// What the node's own clock says.
inline Step read_clock(int at_ms, NodeId node, std::function<void(Time)> function) {
  return {Step::Type::clock, at_ms, node, kNoNode, kProposal, 0, nullptr, std::move(function)};
}
inline Step call(int at_ms, std::function<void(sim::World&)> function) {
  return {Step::Type::call, at_ms, 0, kNoNode, kProposal, 0, std::move(function)};
}
inline Step end_fault_phase(int at_ms) {
  return call(at_ms, [](sim::World& world) { world.end_fault_phase(); });
}

inline SystemDescription scripted_description() {
  SystemDescription description;
  description.name = "scripted";
  description.phases = {"following", "leading"};
  description.anchors = {1};
  description.message<Letter>("Letter", {"Proposal", "Commit"})
      .field("number", SemanticType::number, &Letter::number);
  return description;
}

class ScriptedSystem final : public System {
 public:
  ScriptedSystem(std::size_t nodes, std::vector<Step> script)
      : nodes_(nodes), script_(std::move(script)), description_(scripted_description()) {}
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return nodes_; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<ScriptedNode>(*this, id);
  }
  void set_world(sim::World* world) { world_ = world; }
  void make_once(MessageKind kind) { description_.kinds[kind].loss = Loss::resent; }

 private:
  class ScriptedNode final : public Node {
   public:
    ScriptedNode(const ScriptedSystem& system, NodeId id) : system_(system), id_(id) {}
    void start(Context& context) override { set_timers(context); }
    void restart(Context& context, const Node&) override { set_timers(context); }
    void receive(Context&, NodeId, const Message&) override {}
    void timer(Context& context, TimerId, std::uint64_t tag) override {
      // All steps of one moment are one handler.
      const int at_ms = system_.script_[tag].at_ms;
      for (const Step& step : system_.script_) {
        if (step.node == id_ && step.at_ms == at_ms) perform(context, step);
      }
    }

   private:
    void set_timers(Context& context) {
      int last_ms = -1;
      for (std::size_t i = 0; i < system_.script_.size(); ++i) {
        const Step& step = system_.script_[i];
        const Time at = Time{} + std::chrono::milliseconds(step.at_ms);
        if (step.node != id_ || step.at_ms == last_ms || at < context.now()) continue;
        context.set_timer(at - context.now(), i);
        last_ms = step.at_ms;
      }
    }
    void perform(Context& context, const Step& step) const {
      switch (step.type) {
        case Step::Type::send:
          context.send(step.to, Letter{step.kind, step.number});
          break;
        case Step::Type::round:
          context.round(step.number);
          break;
        case Step::Type::clock:
          step.clock(context.now());
          break;
        case Step::Type::phase:
          context.phase(static_cast<std::uint32_t>(step.number));
          break;
        case Step::Type::call:
          step.call(*system_.world_);
          break;
      }
    }
    const ScriptedSystem& system_;
    NodeId id_;
  };

  std::size_t nodes_;
  std::vector<Step> script_;  ///< in order of time for each node
  SystemDescription description_;
  sim::World* world_ = nullptr;
};

/// Keeps deliveries and faults as lines such as "20ms deliver Commit#7 0>1".
class LineSink final : public EventSink {
 public:
  explicit LineSink(const SystemDescription& description) : description_(description) {}
  void on_event(const Event& event) override {
    const std::string start =
        fmt::format("{} {}", to_string(event.time.time_since_epoch()), to_string(event.type));
    switch (event.type) {
      case EventType::deliver:
        lines.push_back(fmt::format("{} {}", start, letter(event, event.peer, event.node)));
        break;
      case EventType::duplicate:
        lines.push_back(fmt::format("{} {}", start, letter(event, event.node, event.peer)));
        break;
      case EventType::drop:
        lines.push_back(fmt::format("{} {} {}", start, letter(event, event.node, event.peer),
                                    to_string(static_cast<DropReason>(event.detail))));
        break;
      case EventType::crash:
      case EventType::restart:
        lines.push_back(fmt::format("{} {}", start, event.node));
        break;
      case EventType::partition:
        partitions.push_back(event.id);
        lines.push_back(fmt::format("{} {}", start, event.text));
        break;
      case EventType::heal:
        healed.push_back(event.number);
        lines.push_back(start);
        break;
      default:
        break;
    }
  }

  std::vector<std::string> lines;
  std::vector<EventId> partitions;  ///< ids of partition events
  std::vector<EventId> healed;      ///< what heal events refer to

 private:
  std::string letter(const Event& event, NodeId from, NodeId to) const {
    return fmt::format("{}#{} {}>{}", description_.kinds[event.message->kind()].name,
                       event.message->get<Letter>()->number, from, to);
  }
  const SystemDescription& description_;
};

/// One run of a script under a schedule, on instant links unless told otherwise.
class ScriptedRun {
 public:
  ScriptedRun(std::size_t nodes, Schedule schedule, std::vector<Step> script, Duration latency = {})
      : schedule_(std::move(schedule)),
        system_(nodes, std::move(script)),
        sink_(system_.description()),
        interposer_(make_interposer(schedule_, nodes, system_.description().kinds.size())) {
    plan_.nodes = nodes;
    for (std::size_t id = 0; id < nodes; ++id) {
      plan_.peers.push_back(system_.links_of(static_cast<NodeId>(id)));
    }
    sim::LinkModel model;
    model.latency.a = latency;
    plan_.models = {model};
    plan_.link_model.assign(nodes * nodes, 0);
    world_ =
        std::make_unique<sim::World>(plan_, system_, 1, sink_, interposer_.get(), nullptr, memory_);
    system_.set_world(world_.get());
  }

  sim::World& world() { return *world_; }
  const LineSink& sink() const { return sink_; }
  /// Runs on; all lines so far.
  const std::vector<std::string>& run() {
    world_->run();
    return sink_.lines;
  }
  /// Before the run: a second copy of such messages changes nothing.
  void make_once(MessageKind kind) { system_.make_once(kind); }
  /// After the run.
  std::vector<std::size_t> idle_faults() { return interposer_->idle_faults(*world_); }

 private:
  Schedule schedule_;
  ScriptedSystem system_;
  LineSink sink_;
  std::unique_ptr<FaultInterposer> interposer_;
  sim::WorldPlan plan_;
  sim::WorldMemory memory_;
  std::unique_ptr<sim::World> world_;
};

using Lines = std::vector<std::string>;

inline Schedule with_faults(std::vector<Fault> faults) {
  Schedule schedule;
  schedule.faults = std::move(faults);
  return schedule;
}
inline Window during(int from_ms, int until_ms) {
  Window window;
  window.from = std::chrono::milliseconds(from_ms);
  window.until = std::chrono::milliseconds(until_ms);
  return window;
}
inline Window in_rounds(std::uint64_t first, std::uint64_t end) {
  Window window;
  window.from_round = first;
  window.until_round = end;
  return window;
}

}  // namespace dissensus::faults
