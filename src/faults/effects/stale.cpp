// A disk answers reads with the version before the last sync: what a node last made sure of is not
// what it reads back. The example of a kind of fault in one file (docs/ARCHITECTURE.md).
#include <map>

#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

struct StaleFault {
  static const FaultKind& kind();
  NodeId node = 0;
  Window when;
  friend bool operator==(const StaleFault&, const StaleFault&) = default;
};

class StaleReads final : public Lasting, private sim::DiskWatcher {
 public:
  StaleReads(const StaleFault& fault, const Site& site)
      : Lasting(fault.when, site, Shown::fault), node_(fault.node) {}

  void attach(sim::World& world) override {
    world.watch_disks(*this);
    Lasting::attach(world);
  }
  void end(sim::World& world) override {
    world.unwatch_disks(*this);
    Lasting::end(world);
  }

 protected:
  void begin(sim::World&) override {}
  void stop(sim::World&) override {}
  std::string text() const override { return fmt::format("disk of {} is stale", actual(node_)); }

 private:
  void changes(NodeId node, FileId file, const std::vector<std::byte>& durable) override {
    before_[{node, file}] = durable;
  }
  void reads(NodeId node, FileId file, std::vector<std::byte>& content) override {
    if (!is_active() || node != actual(node_)) return;
    const auto earlier = before_.find({node, file});
    if (earlier == before_.end() || earlier->second == content) return;
    content = earlier->second;
    mark_();
  }

  NodeId node_;
  std::map<std::pair<NodeId, FileId>, std::vector<std::byte>> before_;  ///< the last sync
};

const FaultKind& StaleFault::kind() {
  static const FaultKind kKind =
      Declaration<StaleFault>("stale-reads")
          .part(make_node("node", member<&StaleFault::node>))
          .part(make_window(member<&StaleFault::when>, {.may_wait = true}))
          .needs({.name = "stale-reads",
                  .key = "type",
                  .needs = {Offer::bad_disk},
                  .instead = "disk, slow, where they have one"})
          .hindered([](const StaleFault& fault, const SystemDescription& description) {
            return obstacle_to_disk(fault.node, description);
          })
          .said([](const StaleFault& fault, const Speaker& say) {
            return fmt::format(
                "node {}'s disk answers reads with what it held before the last "
                "sync{}",
                node_words(fault.node, fault.when), say.when(fault.when));
          })
          .done<StaleReads>();
  return kKind;
}

}  // namespace

void declare_stale(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&StaleFault::kind()});
}

}  // namespace dissensus::faults
