// The benchmark system: nodes that flood, as simple as a node can be.
#pragma once

#include <memory>

#include "dissensus/system.h"

#include "sim/world.h"

namespace dissensus::bench {

struct Flood {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t origin;
  std::uint64_t number;
};

/// Every node starts `width` tokens; a node that receives one passes it on to a random peer.
class FloodNode final : public Node {
 public:
  explicit FloodNode(std::size_t width) : width_(width) {}
  void start(Context& context) override {
    for (std::uint64_t i = 0; i < width_; ++i) pass_on(context, {context.self(), i});
  }
  void receive(Context& context, NodeId, const Message& message) override {
    pass_on(context, *message.get<Flood>());
  }

 private:
  static void pass_on(Context& context, Flood token) {
    const auto peers = context.peers();
    context.send(peers[context.random().below(peers.size())],
                 Flood{token.origin, token.number + 1});
  }
  std::size_t width_;
};

class FloodSystem final : public System {
 public:
  FloodSystem(std::size_t nodes, std::size_t width) : nodes_(nodes), width_(width) {
    description_.name = "flood";
    description_.message<Flood>("Flood")
        .field("origin", SemanticType::node, &Flood::origin)
        .field("number", SemanticType::number, &Flood::number);
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return nodes_; }
  std::unique_ptr<Node> make_node(NodeId) const override {
    return std::make_unique<FloodNode>(width_);
  }

 private:
  SystemDescription description_;
  std::size_t nodes_;
  std::size_t width_;
};

/// Full mesh, uniform random latency of 1 to 100 ms, reordering.
inline sim::WorldPlan flood_plan(const System& system, std::uint64_t events) {
  sim::WorldPlan plan;
  plan.nodes = system.node_count();
  for (std::size_t id = 0; id < plan.nodes; ++id) {
    plan.peers.push_back(system.links_of(static_cast<NodeId>(id)));
  }
  sim::LinkModel model;
  model.latency.kind = sim::Latency::Kind::uniform;
  model.latency.a = std::chrono::milliseconds(1);
  model.latency.b = std::chrono::milliseconds(100);
  model.fifo = false;
  plan.models.push_back(model);
  plan.link_model.assign(plan.nodes * plan.nodes, 0);
  plan.limits.events = events;
  plan.limits.virtual_time = std::chrono::hours(1000);
  return plan;
}

}  // namespace dissensus::bench
