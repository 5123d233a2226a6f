#include "systems/process/system.h"

#include <memory>

#include "systems/process/book.h"
#include "systems/process/client.h"
#include "systems/process/exact_node.h"
#include "systems/process/service.h"
#include "systems/process/settings.h"
#include "systems/process/virtual_cluster.h"

namespace dissensus::process {

namespace {

class ExactCluster final : public Cluster {
 public:
  ExactCluster(const Book& book, ChildPool& pool) : book_(book), pool_(pool) {}

  std::unique_ptr<Node> make_node(NodeId id) override {
    if (id < book_.settings().nodes) return std::make_unique<ExactNode>(book_, pool_);
    return make_bystander(book_, id, numbers_);
  }

 private:
  const Book& book_;
  ChildPool& pool_;
  SharedNumbers numbers_;
};

class ProcessSystem final : public System {
 public:
  explicit ProcessSystem(const Options& options)
      : settings_(read_settings(options)),
        description_(describe(settings_)),
        book_(settings_, description_),
        pool_(settings_.launch) {}

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.total(); }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    if (settings_.mode == Mode::virtual_time) return make_virtual_cluster(book_, seed);
    return std::make_unique<ExactCluster>(book_, pool_);
  }
  SystemTraits traits() const override {
    SystemTraits traits;
    traits.outside = settings_.mode == Mode::virtual_time;
    traits.bystanders = settings_.total() - settings_.nodes;
    return traits;
  }

 private:
  Settings settings_;
  SystemDescription description_;
  Book book_;
  mutable ChildPool pool_;  ///< programs outlive runs
};

}  // namespace

std::unique_ptr<Node> make_bystander(const Book& book, NodeId id, SharedNumbers& numbers) {
  const Settings& settings = book.settings();
  const std::size_t number = id - settings.nodes;
  if (number < settings.clients()) return std::make_unique<Client>(book, number, numbers);
  return make_service(settings.services.at(number - settings.clients()), book);
}

SystemEntry process_entry() {
  return {"process", "nodes as programs in any language, which speak lines of JSON",
          [](const Options& options) -> std::unique_ptr<System> {
            return std::make_unique<ProcessSystem>(options);
          }};
}

}  // namespace dissensus::process
