#include "dissensus/system.h"

#include "core/assert.h"

namespace dissensus {

Disk& Context::disk() {
  DISSENSUS_ASSERT(false, "Context::disk : overridden by hosts that have disks");
  return *static_cast<Disk*>(nullptr);
}

void Node::timer(Context&, TimerId, std::uint64_t) {}
void Node::submit(Context&, const Request&) {}
void Node::disk_done(Context&, const DiskCompletion&) {}
void Node::ended(Context&) {}
std::optional<Digest> Node::future(Time) const {
  return std::nullopt;
}
void Node::happened(Context&) {
  DISSENSUS_ASSERT(false, "Node::happened : overridden by nodes of a cluster with an outside");
}
StateValue::Record Node::state() const {
  return {};
}

void Node::restart(Context& context, const Node&) {
  start(context);
}

namespace {
class PlainCluster final : public Cluster {
 public:
  explicit PlainCluster(const System& system) : system_(system) {}
  std::unique_ptr<Node> make_node(NodeId id) override { return system_.make_node(id); }

 private:
  const System& system_;
};
}  // namespace

std::unique_ptr<Node> System::make_node(NodeId) const {
  DISSENSUS_ASSERT(false, "System : overrides make_node or make_cluster");
  return nullptr;
}

std::unique_ptr<Cluster> System::make_cluster(std::uint64_t) const {
  return std::make_unique<PlainCluster>(*this);
}

std::shared_ptr<const Request> System::make_request(const Options& options) const {
  options.fail("system " + description().name + " takes no workload");
}

std::vector<NodeId> System::links_of(NodeId id) const {
  std::vector<NodeId> others;
  for (std::size_t other = 0; other < node_count(); ++other) {
    if (other != id) others.push_back(static_cast<NodeId>(other));
  }
  return others;
}

void SystemRegistry::replace(SystemEntry entry) {
  std::erase_if(entries_, [&](const SystemEntry& old) { return old.name == entry.name; });
  add(std::move(entry));
}

const SystemEntry* SystemRegistry::find(std::string_view name) const {
  for (const SystemEntry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace dissensus
