// A simulated network for tests: a system from a [system] text, links with one latency, delays by
// a function, and everything the nodes report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/options.h"
#include "dissensus/system.h"

#include "core/event.h"
#include "sim/interposer.h"
#include "sim/world.h"
#include "systems/xrpl/messages.h"
#include "systems/xrpl/system.h"
#include "trace/trace.h"

namespace dissensus::xrpl::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Decides the fate of one message: an extra delay, or nothing for "lost".
using LinkRule = std::function<std::optional<Duration>(NodeId from, NodeId to, const Message&)>;
/// May replace a message on its way.
using Rewrite = std::function<Message(sim::World&, NodeId from, NodeId to, const Message&)>;

class RuleInterposer final : public sim::Interposer {
 public:
  LinkRule rule;
  Rewrite rewrite;

  void on_send(sim::World& world, sim::Transmission&& transmission) override {
    if (rewrite) {
      transmission.message =
          rewrite(world, transmission.from, transmission.to, transmission.message);
    }
    std::optional<Duration> extra = Duration{};
    if (rule) extra = rule(transmission.from, transmission.to, transmission.message);
    if (extra) {
      world.deliver(std::move(transmission), *extra);
    } else {
      world.drop(transmission, DropReason::schedule);
    }
  }
};

struct Decision {
  NodeId node;
  std::uint64_t instance;
  Digest value;
  Time time;
};

class Collector final : public EventSink {
 public:
  explicit Collector(const SystemDescription& description) : description_(description) {}
  void on_event(const Event& event) override {
    hash.add(event);
    const auto name = [&](const auto& list) { return list[event.detail]; };
    switch (event.type) {
      case EventType::send:
        ++sent[description_.kinds[event.message->kind()].name];
        break;
      case EventType::decide:
        decisions[name(description_.levels).name].push_back(
            {event.node, event.number, event.value, event.time});
        break;
      case EventType::propose:
        proposals[name(description_.levels).name].push_back(
            {event.node, event.number, event.value, event.time});
        break;
      case EventType::observe:
        observed[name(description_.observables)][event.node] =
            static_cast<std::int64_t>(event.number);
        break;
      case EventType::phase:
        phases.push_back({event.node, event.number, Digest{}, event.time});
        break;
      case EventType::log:
        logs.emplace_back(event.text);
        break;
      default:
        break;
    }
  }
  EventMask wants() const override {
    return keep_logs ? EventMask::everything().with(EventType::log) : EventMask::everything();
  }

  bool keep_logs = false;
  trace::TraceHash hash;
  std::map<std::string, std::uint64_t> sent;
  std::map<std::string, std::vector<Decision>> decisions;
  std::map<std::string, std::vector<Decision>> proposals;
  std::map<std::string, std::map<NodeId, std::int64_t>> observed;
  std::vector<Decision> phases;
  std::vector<std::string> logs;

 private:
  const SystemDescription& description_;
};

class Simulation {
 public:
  /// `text` is a [system] table plus [[workload]] tables with `at` and `node`.
  explicit Simulation(std::string_view text, Duration latency = milliseconds(50),
                      std::uint64_t seed = 1)
      : seed_(seed) {
    const Options options = Options::from_toml(text, "test");
    system = xrpl_entry().make(options);
    plan.nodes = system->node_count();
    for (std::size_t node = 0; node < plan.nodes; ++node) {
      plan.peers.push_back(system->links_of(static_cast<NodeId>(node)));
    }
    sim::LinkModel model;
    model.latency.a = latency;
    model.fifo = false;
    plan.models = {model};
    plan.link_model.assign(plan.nodes * plan.nodes, 0);
    for (const Options& entry : options.tables("workload")) {
      sim::Submission submission;
      submission.at = Time{entry.at("at").duration()};
      submission.node = static_cast<NodeId>(entry.at("node").integer());
      submission.request = system->make_request(entry);
      plan.submissions.push_back(std::move(submission));
    }
    options.finish();
  }

  void run(Duration until) {
    if (!world) {
      collector = std::make_unique<Collector>(system->description());
      collector->keep_logs = keep_logs;
      plan.limits.virtual_time = until;
      world = std::make_unique<sim::World>(plan, *system, seed_, *collector, &interposer, nullptr,
                                           memory);
    }
    stop = world->run();
  }

  /// Decisions of one level, by instance: the values and how many nodes decided each.
  std::map<std::uint64_t, std::map<Digest, std::set<NodeId>>> decided(const std::string& level) {
    std::map<std::uint64_t, std::map<Digest, std::set<NodeId>>> result;
    for (const Decision& decision : collector->decisions[level]) {
      result[decision.instance][decision.value].insert(decision.node);
    }
    return result;
  }
  /// The highest fully validated sequence of a node; 0 for none.
  std::uint64_t validated(NodeId node) {
    std::uint64_t highest = 0;
    for (const Decision& decision : collector->decisions["ledger"]) {
      if (decision.node == node) highest = std::max(highest, decision.instance);
    }
    return highest;
  }
  std::int64_t observed(const std::string& name, NodeId node) {
    return collector->observed[name][node];
  }
  bool differ(const std::string& level) {
    for (const auto& [instance, values] : decided(level)) {
      if (values.size() > 1) return true;
    }
    return false;
  }

  std::unique_ptr<System> system;
  sim::WorldPlan plan;
  RuleInterposer interposer;
  sim::WorldMemory memory;
  std::unique_ptr<Collector> collector;
  std::unique_ptr<sim::World> world;
  sim::StopReason stop = sim::StopReason::quiet;
  bool keep_logs = false;

 private:
  std::uint64_t seed_;
};

/// Four payments of 80 XRP by an account that can afford one, submitted at once (thesis, 4).
inline std::string double_spend(std::string_view sequence) {
  std::string text;
  constexpr std::string_view kTo[] = {"bob", "bob", "carol", "carol"};
  for (int node = 0; node < 4; ++node) {
    text += "[[workload]]\nat = \"2s\"\nnode = " + std::to_string(node) +
            "\nfrom = \"alice\"\nto = \"" + std::string(kTo[node]) +
            "\"\namount = 80\nsequence = \"" + std::string(sequence) + "\"\n";
  }
  return text;
}

inline const std::string kAccounts =
    "accounts = { alice = \"100.0001\", bob = 20, carol = 20 }\nreserve = 10\n";

}  // namespace dissensus::xrpl::testing
