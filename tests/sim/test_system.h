// A scripted system for tests of the world: nodes call functions that the test provides.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "core/event.h"
#include "sim/world.h"

namespace dissensus::sim {

struct Ping {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t number;
};

struct Script {
  std::function<void(Context&)> start = [](Context&) {};
  std::function<void(Context&, NodeId, std::uint64_t)> receive = [](Context&, NodeId,
                                                                    std::uint64_t) {};
  std::function<void(Context&, std::uint64_t)> timer = [](Context&, std::uint64_t) {};
  std::function<void(Context&, const Node&)> restart = [](Context&, const Node&) {};
};

class ScriptedNode final : public Node {
 public:
  explicit ScriptedNode(const Script& script) : script_(script) {}
  void start(Context& context) override { script_.start(context); }
  void receive(Context& context, NodeId from, const Message& message) override {
    script_.receive(context, from, message.get<Ping>()->number);
  }
  void timer(Context& context, TimerId, std::uint64_t tag) override { script_.timer(context, tag); }
  void restart(Context& context, const Node& before) override { script_.restart(context, before); }

 private:
  const Script& script_;
};

class ScriptedSystem final : public System {
 public:
  ScriptedSystem(std::size_t nodes, Script script) : nodes_(nodes), script_(std::move(script)) {
    description_.name = "scripted";
    description_.message<Ping>("Ping").field("number", SemanticType::number, &Ping::number);
    description_.levels = {{.name = "level"}};
    description_.phases = {"one", "two"};
    description_.observables = {"seen"};
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return nodes_; }
  std::unique_ptr<Node> make_node(NodeId) const override {
    return std::make_unique<ScriptedNode>(script_);
  }

 private:
  std::size_t nodes_;
  Script script_;
  SystemDescription description_;
};

inline WorldPlan full_mesh(const System& system, const LinkModel& model = {}) {
  WorldPlan plan;
  plan.nodes = system.node_count();
  for (std::size_t id = 0; id < plan.nodes; ++id) {
    plan.peers.push_back(system.links_of(static_cast<NodeId>(id)));
  }
  plan.models.push_back(model);
  plan.link_model.assign(plan.nodes * plan.nodes, 0);
  return plan;
}

/// Keeps a copy of every event (without the message).
class Collector final : public EventSink {
 public:
  void on_event(const Event& event) override {
    Event copy = event;
    numbers.push_back(event.message != nullptr ? event.message->get<Ping>()->number : 0);
    copy.message = nullptr;
    texts.emplace_back(event.text);
    copy.text = {};
    events.push_back(copy);
  }
  EventMask wants() const override {
    return log ? EventMask::everything().with(EventType::log) : EventMask::everything();
  }
  std::vector<Event> of(EventType type) const {
    std::vector<Event> result;
    for (const Event& event : events) {
      if (event.type == type) result.push_back(event);
    }
    return result;
  }
  /// Numbers of the delivered pings, in order.
  std::vector<std::uint64_t> delivered() const {
    std::vector<std::uint64_t> result;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].type == EventType::deliver) result.push_back(numbers[i]);
    }
    return result;
  }

  std::vector<Event> events;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> texts;
  bool log = false;
};

}  // namespace dissensus::sim
