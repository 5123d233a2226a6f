#include "conform/stepper.h"

#include <algorithm>
#include <utility>

#include "conform/instant_disk.h"
#include "core/assert.h"

namespace dissensus::conform {

class Stepper::HostContext final : public Context {
 public:
  HostContext(Stepper& stepper, NodeId self, std::uint64_t seed)
      : Context(stepper.system_.description(), stepper.pool_),
        stepper_(stepper),
        self_(self),
        peers_(stepper.system_.links_of(self)),
        random_(seed, "node", self) {}

  NodeId self() const override { return self_; }
  std::size_t node_count() const override { return stepper_.system_.node_count(); }
  std::span<const NodeId> peers() const override { return peers_; }
  Time now() const override { return stepper_.now_; }
  void send_message(NodeId to, const Message& message) override {
    stepper_.messages_.push_back({self_, to, message});
  }
  TimerId set_timer(Duration delay, std::uint64_t tag) override {
    const auto id = static_cast<TimerId>(stepper_.next_timer_++);
    stepper_.timers_.push_back({self_, tag, id, stepper_.now_ + delay});
    return id;
  }
  void cancel_timer(TimerId timer) override {
    std::erase_if(stepper_.timers_, [&](const WaitingTimer& one) { return one.id == timer; });
  }
  Random& random() override { return random_; }
  Disk& disk() override { return disk_; }
  InstantDisk& instant_disk() { return disk_; }

  // A model sees steps and states alone.
  void proposed(Level, std::uint64_t, const Digest&) override {}
  void decided(Level, std::uint64_t, const Digest&) override {}
  void phase(std::uint32_t) override {}
  void round(std::uint64_t) override {}
  void observe(std::uint32_t, std::int64_t) override {}
  void log(std::string_view) override {}
  bool logging() const override { return false; }

  void step(std::uint32_t step, std::span<const StateValue> arguments) override {
    stepper_.steps_.push_back(
        {self_, step, {arguments.begin(), arguments.end()}, stepper_.state(self_)});
  }
  bool stepping() const override { return true; }

 private:
  Stepper& stepper_;
  NodeId self_;
  std::vector<NodeId> peers_;
  Random random_;
  InstantDisk disk_;
};

struct Stepper::Host {
  Host(Stepper& stepper, NodeId id, std::uint64_t seed) : context(stepper, id, seed) {}
  HostContext context;
  std::unique_ptr<Node> node;
  bool is_running = false;

  /// The node has acted: what it wrote is durable, and it hears so.
  void settle() {
    constexpr int kRoundsMost = 1000;
    for (int round = 0; round < kRoundsMost; ++round) {
      const std::vector<std::uint64_t> ended = context.instant_disk().take_ended();
      if (ended.empty() || !is_running) return;
      for (const std::uint64_t tag : ended) node->disk_done(context, {tag, DiskStatus::ok});
    }
    DISSENSUS_ASSERT(false, "Stepper : a node writes without end");
  }
};

Stepper::Stepper(const System& system, std::uint64_t seed)
    : system_(system), cluster_(system.make_cluster(seed)) {
  for (std::size_t id = 0; id < system.node_count(); ++id) {
    hosts_.push_back(std::make_unique<Host>(*this, static_cast<NodeId>(id), seed));
    hosts_.back()->node = cluster_->make_node(static_cast<NodeId>(id));
  }
}

Stepper::~Stepper() = default;

void Stepper::start() {
  for (const auto& host : hosts_) {
    host->is_running = true;
    host->node->start(host->context);
    host->settle();
  }
}

void Stepper::deliver(std::size_t message) {
  DISSENSUS_ASSERT(message < messages_.size(), "a waiting message");
  const WaitingMessage taken = std::move(messages_[message]);
  messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(message));
  now_ += Duration{1};
  Host& host = *hosts_[taken.to];
  if (host.is_running) host.node->receive(host.context, taken.from, taken.message);
  host.settle();
}

void Stepper::fire(std::size_t timer) {
  DISSENSUS_ASSERT(timer < timers_.size(), "a waiting timer");
  const WaitingTimer taken = timers_[timer];
  timers_.erase(timers_.begin() + static_cast<std::ptrdiff_t>(timer));
  now_ = std::max(now_, taken.due);
  Host& host = *hosts_[taken.node];
  host.node->timer(host.context, taken.id, taken.tag);
  host.settle();
}

void Stepper::submit(NodeId node, const Request& request) {
  now_ += Duration{1};
  Host& host = *hosts_.at(node);
  if (host.is_running) host.node->submit(host.context, request);
  host.settle();
}

bool Stepper::crash(NodeId node) {
  Host& host = *hosts_.at(node);
  if (!host.is_running) return false;
  host.is_running = false;
  host.context.instant_disk().take_ended();
  std::erase_if(timers_, [&](const WaitingTimer& one) { return one.node == node; });
  return true;
}

bool Stepper::restart(NodeId node) {
  Host& host = *hosts_.at(node);
  if (host.is_running) return false;
  host.is_running = true;
  const std::unique_ptr<Node> before = std::move(host.node);
  host.node = cluster_->make_node(node);
  host.node->restart(host.context, *before);
  host.settle();
  return true;
}

bool Stepper::is_running(NodeId node) const {
  return hosts_.at(node)->is_running;
}

StateValue::Record Stepper::state(NodeId node) const {
  return hosts_.at(node)->node->state();
}

std::vector<ReportedStep> Stepper::take_steps() {
  return std::exchange(steps_, {});
}

}  // namespace dissensus::conform
