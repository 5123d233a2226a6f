// Drives nodes of the DAG system step by step, without a world: what happens next is the test's
// choice, as it is a model's choice when a model's behaviour is replayed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dissensus/system.h"

#include "systems/dag/messages.h"
#include "systems/dag/system.h"
#include "systems/dag/timers.h"

namespace dissensus::dag {

class Driver {
 public:
  struct Sent {
    NodeId from;
    NodeId to;
    Message message;
  };
  struct Decision {
    NodeId node;
    Level level;
    std::uint64_t instance;
    Digest value;
  };
  struct Taken {
    NodeId node;
    std::string step;
    std::vector<StateValue> arguments;
    StateValue::Record state;
  };

  explicit Driver(const std::string& options)
      : system_(dag_entry().make(Options::from_toml(options, "test"))),
        cluster_(system_->make_cluster(1)) {
    for (std::size_t id = 0; id < system_->node_count(); ++id) {
      contexts_.push_back(std::make_unique<TestContext>(*this, static_cast<NodeId>(id)));
      nodes_.push_back(cluster_->make_node(static_cast<NodeId>(id)));
    }
    for (std::size_t id = 0; id < nodes_.size(); ++id) nodes_[id]->start(*contexts_[id]);
  }
  ~Driver() {
    nodes_.clear();
    sent.clear();
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Each returns whether the node reported the step.
  bool next_round(NodeId node) { return fire(node, kProduceTimer, "next-round"); }
  bool add(NodeId node, NodeId creator, std::uint32_t round) {
    return fire(node, timer_tag(TimerKind::add, round, creator), "add");
  }
  bool change_epoch(NodeId node) { return fire(node, kEpochTimer, "epoch-change"); }
  bool equivocate(NodeId node) { return fire(node, kEquivocateTimer, "equivocate"); }
  /// Delivers the vertex that was sent to the node; it stays under way and can be delivered again.
  bool receive(NodeId node, NodeId creator, std::uint32_t round, std::uint8_t variant = 0) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const auto* vertex = sent[i].message.get<Vertex>();
      if (sent[i].to != node || vertex == nullptr || vertex->creator != creator ||
          vertex->round != round || vertex->variant != variant) {
        continue;
      }
      return deliver(node, sent[i].from, Message(sent[i].message));
    }
    return false;
  }
  bool receive(NodeId node, const Vertex& vertex) {
    return deliver(node, vertex.creator, contexts_[node]->make(vertex));
  }
  bool receive_and_add(NodeId node, NodeId creator, std::uint32_t round) {
    return receive(node, creator, round) && add(node, creator, round);
  }
  /// Everybody of `group` creates a vertex and gets those of the others.
  void full_round(const std::vector<NodeId>& group, std::uint32_t round) {
    for (const NodeId node : group) next_round(node);
    for (const NodeId node : group) {
      for (const NodeId creator : group) {
        if (creator != node) receive_and_add(node, creator, round);
      }
    }
  }
  void crash_and_restart(NodeId node) {
    std::unique_ptr<Node> before = std::move(nodes_[node]);
    nodes_[node] = cluster_->make_node(node);
    nodes_[node]->restart(*contexts_[node], *before);
  }
  void deliver_all(MessageKind kind) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].message.kind() != kind) continue;
      const Sent copy = sent[i];
      nodes_[copy.to]->receive(*contexts_[copy.to], copy.from, copy.message);
    }
  }

  StateValue state(NodeId node, std::string_view field) const {
    for (const auto& [name, value] : nodes_[node]->state().fields) {
      if (name == field) return value;
    }
    return std::string("no such field");
  }
  std::int64_t number(NodeId node, std::string_view field) const {
    return std::get<std::int64_t>(state(node, field).value);
  }
  std::vector<std::int64_t> numbers(NodeId node, std::string_view field) const {
    const StateValue value = state(node, field);
    std::vector<std::int64_t> result;
    for (const StateValue& item : std::get<StateValue::Sequence>(value.value).items) {
      result.push_back(std::get<std::int64_t>(item.value));
    }
    return result;
  }
  const SystemDescription& description() const { return system_->description(); }

 private:
  class TestContext;

 public:
  std::vector<Sent> sent;
  std::vector<Decision> decisions;
  std::vector<Taken> taken;

 private:
  class TestContext final : public Context {
   public:
    TestContext(Driver& driver, NodeId self)
        : Context(driver.system_->description(), driver.pool_), driver_(driver), self_(self) {
      for (std::size_t id = 0; id < driver.system_->node_count(); ++id) {
        if (id != self) peers_.push_back(static_cast<NodeId>(id));
      }
    }
    NodeId self() const override { return self_; }
    std::size_t node_count() const override { return peers_.size() + 1; }
    std::span<const NodeId> peers() const override { return peers_; }
    Time now() const override { return {}; }
    void send_message(NodeId to, const Message& message) override {
      driver_.sent.push_back({self_, to, message});
    }
    TimerId set_timer(Duration, std::uint64_t) override { return TimerId::none; }
    void cancel_timer(TimerId) override {}
    Random& random() override { return random_; }
    void proposed(Level, std::uint64_t, const Digest&) override {}
    void decided(Level level, std::uint64_t instance, const Digest& value) override {
      driver_.decisions.push_back({self_, level, instance, value});
    }
    void phase(std::uint32_t) override {}
    void round(std::uint64_t) override {}
    void observe(std::uint32_t, std::int64_t) override {}
    void log(std::string_view) override {}
    bool logging() const override { return false; }
    void step(std::uint32_t step, std::span<const StateValue> arguments) override {
      driver_.taken.push_back({self_,
                               description_.steps[step].name,
                               {arguments.begin(), arguments.end()},
                               driver_.nodes_[self_]->state()});
    }
    bool stepping() const override { return true; }

   private:
    Driver& driver_;
    NodeId self_;
    std::vector<NodeId> peers_;
    Random random_{1};
  };

  bool fire(NodeId node, std::uint64_t tag, std::string_view step) {
    const std::size_t before = taken.size();
    nodes_[node]->timer(*contexts_[node], TimerId::none, tag);
    return taken.size() == before + 1 && taken.back().step == step;
  }
  bool deliver(NodeId node, NodeId from, const Message& message) {
    const std::size_t before = taken.size();
    nodes_[node]->receive(*contexts_[node], from, message);
    return taken.size() == before + 1 && taken.back().step == "receive";
  }

  MessagePool pool_;
  std::unique_ptr<System> system_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::unique_ptr<TestContext>> contexts_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace dissensus::dag
