#include "systems/pbft/system.h"

#include <memory>
#include <string>
#include <utility>

#include "systems/pbft/messages.h"
#include "systems/pbft/replica.h"
#include "systems/pbft/settings.h"

namespace dissensus::pbft {
namespace {

constexpr std::string_view kSummary =
    "PBFT: three phases, view changes, checkpoints, clients; with known mistakes as switches";

class ClientRequest final : public dissensus::Request {
 public:
  std::vector<std::pair<std::string, FieldValue>> fields() const override { return {}; }
};

SystemDescription describe(const Settings& settings) {
  SystemDescription description;
  description.name = "pbft";
  description.nodes = NodeKind::simulated;
  description.summary = std::string(kSummary);
  describe_messages(description);
  // A replica is in the round of the number that it executes next.
  description.first_round = 1;
  description.round_steps = 5;
  for (KindDescription& kind : description.kinds) kind.step = kNoStep;
  description.kinds[PrePrepare::kind()].step = 0;
  description.kinds[Prepare::kind()].step = 1;
  description.kinds[Commit::kind()].step = 2;
  description.kinds[Reply::kind()].step = 2;
  description.kinds[ViewChange::kind()].step = 3;
  description.kinds[NewView::kind()].step = 4;
  // In the order of the levels in replica.h. A liar may propose what it does not tell the oracle of
  // (the order), and a checkpoint is computed: validity is asked of replies.
  description.levels = {
      {.name = "order", .validity = false, .value_names = {{Digest{kNullRequest}, "nothing"}}},
      {.name = "checkpoint", .validity = false, .repeatable = true},
      {.name = "reply", .scope_bits = kClientBits}};
  description.phases = {"normal", "view-change"};
  description.observables = {"view", "view_changes"};
  description.anchors = {kViewChangePhase};
  description.time_scale = settings.view_timeout;
  return description;
}

class PbftSystem final : public System {
 public:
  explicit PbftSystem(const Options& options)
      : settings_(options), description_(describe(settings_)) {}

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.nodes; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<Replica>(settings_, id);
  }
  std::shared_ptr<const dissensus::Request> make_request(const Options&) const override {
    return std::make_shared<ClientRequest>();
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

SystemEntry pbft_entry() {
  return {"pbft", std::string(kSummary),
          [](const Options& options) { return std::make_unique<PbftSystem>(options); }};
}

}  // namespace dissensus::pbft
