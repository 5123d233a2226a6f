#include "systems/dag/system.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "systems/dag/messages.h"
#include "systems/dag/node.h"
#include "systems/dag/settings.h"

namespace dissensus::dag {
namespace {

constexpr std::string_view kSummary =
    "DAG consensus: rounds of vertices, leaders in waves, blocks, epochs";

class TransactionRequest final : public dissensus::Request {
 public:
  explicit TransactionRequest(std::string text) : text_(std::move(text)) {}
  std::vector<std::pair<std::string, FieldValue>> fields() const override {
    return {{"transaction", text_}};
  }

 private:
  std::string text_;
};

/// Which nodes are of which implementation.
class Implementations {
 public:
  explicit Implementations(const Options& options)
      : usual_(options), of_node_(usual_.nodes, nullptr) {
    for (const Options& table : options.tables("implementation")) {
      Mask members = 0;
      const auto made = std::make_shared<const Settings>(usual_.other(table, members));
      for (std::size_t id = 0; id < usual_.nodes; ++id) {
        if ((members & mask_of(static_cast<NodeId>(id))) == 0) continue;
        if (of_node_[id]) table.at("nodes").fail(fmt::format("node {} is named twice", id));
        of_node_[id] = made;
      }
    }
  }
  const Settings& usual() const { return usual_; }
  const Settings& of(NodeId node) const { return of_node_[node] ? *of_node_[node] : usual_; }

 private:
  Settings usual_;
  std::vector<std::shared_ptr<const Settings>> of_node_;  ///< null: the usual one
};

/// Chooses, per run, which nodes may stop.
class DagCluster final : public Cluster {
 public:
  DagCluster(const Implementations& implementations, std::uint64_t seed)
      : implementations_(implementations), failure_seeds_(implementations.usual().nodes, 0) {
    const Settings& settings = implementations.usual();
    if (settings.failure_chance == 0) return;
    std::vector<NodeId> order;
    for (std::size_t id = 0; id < settings.nodes; ++id) order.push_back(static_cast<NodeId>(id));
    Random random(seed, "dag-faulty");
    for (std::size_t i = 0; i < settings.faulty; ++i) {
      std::swap(order[i], order[i + random.below(order.size() - i)]);
      failure_seeds_[order[i]] = derive_seed(seed, "dag-failure", order[i]) | 1;
    }
  }
  std::unique_ptr<Node> make_node(NodeId id) override {
    return std::make_unique<DagNode>(implementations_.of(id), id, failure_seeds_[id]);
  }

 private:
  const Implementations& implementations_;
  std::vector<std::uint64_t> failure_seeds_;  ///< by node; 0: never stops
};

SystemDescription describe(const Settings& settings) {
  SystemDescription description;
  description.name = "dag";
  description.nodes = NodeKind::simulated;
  description.summary = std::string(kSummary);
  describe_messages(description);
  // Vertex, echo and ready are the steps of a round; the others belong to none.
  description.first_round = 1;
  description.round_steps = settings.reliable ? 3 : 1;
  description.kinds[Echo::kind()].step = 1;
  description.kinds[Ready::kind()].step = 2;
  description.kinds[Seal::kind()].step = kNoStep;
  description.kinds[Fetch::kind()].step = kNoStep;
  // In the order of Report. A block is computed, not proposed: validity is asked of its leader and
  // of its vertices.
  description.levels = {{.name = "block", .validity = false},
                        {.name = "leader", .scope_bits = kEpochBits},
                        {.name = "vertex", .scope_bits = kEpochBits}};
  description.phases = {"running", "stopped"};
  description.observables = {"epoch", "skipped_waves"};
  // In the order of Step.
  description.steps = {{"next-round", {"node"}},
                       {"receive", {"node", "creator", "round", "variant"}},
                       {"add", {"node", "creator", "round", "variant"}},
                       {"epoch-change", {"node", "epoch"}},
                       {"equivocate", {"node", "round"}},
                       {"stop", {"node"}},
                       {"resume", {"node"}}};
  return description;
}

class DagSystem final : public System {
 public:
  explicit DagSystem(const Options& options)
      : implementations_(options), description_(describe(implementations_.usual())) {}

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return implementations_.usual().nodes; }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    return std::make_unique<DagCluster>(implementations_, seed);
  }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<DagNode>(implementations_.of(id), id, 0);
  }
  std::shared_ptr<const dissensus::Request> make_request(const Options& options) const override {
    if (const auto command = options.find("command")) {
      if (command->text() != "next-round") command->fail("expected \"next-round\"");
      return std::make_shared<NextRoundRequest>();
    }
    return std::make_shared<TransactionRequest>(options.at("transaction").text());
  }

 private:
  Implementations implementations_;
  SystemDescription description_;
};

}  // namespace

SystemEntry dag_entry() {
  return {"dag", std::string(kSummary),
          [](const Options& options) { return std::make_unique<DagSystem>(options); }};
}

}  // namespace dissensus::dag
