#include "systems/process/system.h"

#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dissensus/programs.h"

#include "core/file.h"
#include "systems/process/book.h"
#include "systems/process/bystander.h"
#include "systems/process/client.h"
#include "systems/process/exact_node.h"
#include "systems/process/learn.h"
#include "systems/process/plain_node.h"
#include "systems/process/service.h"
#include "systems/process/settings.h"

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

class ProcessSystem final : public System, public UsesPrograms {
 public:
  ProcessSystem(Settings settings, std::shared_ptr<ChildPool> pool)
      : settings_(std::move(settings)),
        description_(describe(settings_)),
        book_(settings_, description_),
        pool_(std::move(pool)) {
    if (is_virtual()) plan_ = plan_of(settings_);
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.total(); }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    if (!is_virtual()) return std::make_unique<ExactCluster>(book_, *pool_);
    const auto numbers = std::make_shared<SharedNumbers>();
    return std::make_unique<hosted::Cluster>(
        plan_, seed, [this, numbers](hosted::Cluster& cluster, NodeId id) -> std::unique_ptr<Node> {
          if (id >= settings_.nodes) return make_bystander(book_, id, *numbers);
          return std::make_unique<PlainNode>(cluster, book_, id);
        });
  }
  SystemTraits traits() const override {
    SystemTraits traits;
    traits.outside = is_virtual();
    traits.bystanders = settings_.total() - settings_.nodes;
    return traits;
  }

  std::vector<std::string> missing_programs() const override {
    const Launch& launch = settings_.launch;
    std::string program = launch.command.front();
    constexpr std::string_view kFolder = "/node/";  // of a machine in virtual time
    if (is_virtual() && program.starts_with(kFolder)) {
      program = "./" + program.substr(kFolder.size());
    }
    if (is_program(program, launch.folder)) return {};
    return {fmt::format("system.command: {}: no such program", launch.command.front())};
  }

 private:
  bool is_virtual() const { return settings_.clock == Clock::virtual_time; }

  Settings settings_;
  SystemDescription description_;
  Book book_;
  hosted::Plan plan_;                ///< in virtual time
  std::shared_ptr<ChildPool> pool_;  ///< programs outlive runs
};

/// Kinds that nobody declared are learned by a system without them.
std::unique_ptr<System> make_system(const Options& options, const ProcessUse& use) {
  Settings settings = read_settings(options);
  const auto pool = std::make_shared<ChildPool>(settings.launch);
  if (settings.learn > 0 && use.learns) {
    const ProcessSystem first(settings, pool);
    for (DeclaredMessage& message : learn_messages(first, settings)) {
      settings.learned.push_back(std::move(message));
    }
  }
  return std::make_unique<ProcessSystem>(std::move(settings), pool);
}

}  // namespace

std::unique_ptr<Node> make_bystander(const Book& book, NodeId id, SharedNumbers& numbers) {
  const Settings& settings = book.settings();
  const std::size_t number = id - settings.nodes;
  if (number < settings.clients()) return std::make_unique<Client>(book, number, numbers);
  return make_service(settings.services.at(number - settings.clients()), book);
}

SystemEntry process_entry(ProcessUse use) {
  return {"process", "nodes as programs in any language, which speak lines of JSON",
          [use = std::move(use)](const Options& options) { return make_system(options, use); }};
}

}  // namespace dissensus::process
