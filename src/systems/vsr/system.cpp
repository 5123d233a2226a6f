#include "systems/vsr/system.h"

#include "systems/vsr/node.h"

namespace dissensus::vsr {

namespace {

constexpr std::string_view kSummary =
    "Viewstamped Replication, written from the paper of 2012, with its mistakes as switches";

class VsrSystem final : public System {
 public:
  explicit VsrSystem(const Options& options) : settings_(options) {
    description_.name = "vsr";
    description_.nodes = NodeKind::simulated;
    description_.summary = std::string(kSummary);
    describe_messages(description_);
    // Who recovers executes again what its log holds.
    description_.levels = {{.name = "operation", .repeatable = true}};
    description_.phases = {"backup", "primary", "view-change", "recovering"};
    description_.observables = {"view", "log", "committed", "leads", "recovers"};
    description_.invariants = {{"at-most-once", "a client's request was executed twice"}};
    description_.anchors = {kPrimary, kViewChange};
    description_.time_scale = settings_.view_timeout;
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.replicas; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    return std::make_unique<Replica>(id, settings_);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

SystemEntry vsr_entry() {
  return {"vsr", std::string(kSummary),
          [](const Options& options) { return std::make_unique<VsrSystem>(options); }};
}

}  // namespace dissensus::vsr
