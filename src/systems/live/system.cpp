#include "systems/live/system.h"

#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "systems/live/cluster.h"
#include "systems/live/live_session.h"
#include "systems/live/messages.h"
#include "systems/live/node.h"
#include "systems/live/pool.h"
#include "systems/live/servers/configuration.h"
#include "systems/live/settings.h"
#include "systems/xrpl/network.h"
#include "systems/xrpl/system.h"

namespace dissensus::live {

namespace {

std::chrono::milliseconds read_limit(const Options& options, std::string_view key,
                                     std::chrono::milliseconds fallback) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      options.duration(key, Duration(fallback)));
}

std::vector<std::string> read_texts(const Options& options, std::string_view key) {
  std::vector<std::string> texts;
  const auto value = options.find(key);
  if (!value) return texts;
  for (const OptionValue& text : value->list()) texts.push_back(text.text());
  return texts;
}

/// One for each node, or none.
void check_binaries(const Options& options, std::string_view key, std::size_t given,
                    std::size_t nodes) {
  if (given == 0 || given == nodes) return;
  options.table("servers").at(key).fail(
      fmt::format("{} binaries for {} nodes, expected one for each", given, nodes));
}

/// What one key says to each node: the same to all, or one entry for each.
std::vector<std::string> read_per_node(const Options& options, std::string_view key,
                                       std::size_t nodes, bool is_for_all,
                                       const std::function<std::string(const OptionValue&)>& read) {
  const auto value = options.find(key);
  if (!value) return std::vector<std::string>(nodes);
  if (is_for_all) return std::vector<std::string>(nodes, read(*value));
  const std::vector<OptionValue> entries = value->list();
  if (entries.size() != nodes) {
    value->fail(
        fmt::format("{} entries for {} nodes, expected one for each", entries.size(), nodes));
  }
  std::vector<std::string> texts;
  for (const OptionValue& entry : entries) texts.push_back(read(entry));
  return texts;
}

/// A section of a configuration from a list of lines.
std::string section_text(std::string_view name, const OptionValue& lines) {
  std::string text;
  for (const OptionValue& line : lines.list()) text += line.text() + "\n";
  return text.empty() ? text : fmt::format("[{}]\n{}\n", name, text);
}

/// `configuration`, `amendments` and `veto_amendments`, each for all nodes or per node.
std::vector<std::string> read_configurations(const Options& options, std::size_t nodes) {
  const auto free = options.find("configuration");
  std::vector<std::string> texts = read_per_node(
      options, "configuration", nodes, free && free->is_text(), [](const OptionValue& value) {
        const std::string text = value.text();
        if (const std::string obstacle = obstacle_in(text); !obstacle.empty()) value.fail(obstacle);
        return text.empty() || text.ends_with('\n') ? text : text + "\n";
      });
  for (const std::string_view key : {"amendments", "veto_amendments"}) {
    const auto value = options.find(key);
    const auto entries = value ? value->list() : std::vector<OptionValue>{};
    const bool is_for_all = entries.empty() || !entries.front().is_list();
    const auto sections =
        read_per_node(options, key, nodes, is_for_all,
                      [key](const OptionValue& lines) { return section_text(key, lines); });
    for (std::size_t node = 0; node < nodes; ++node) texts[node] += sections[node];
  }
  return texts;
}

ServerSettings read_servers(const Options& options, std::size_t nodes) {
  const Options table = options.table("servers");
  ServerSettings settings;
  settings.rippled = table.text("rippled", "");
  static constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error"};
  settings.log_level = kLevels[table.choice("log_level", kLevels, 2)];
  static constexpr std::string_view kClocks[] = {"virtual"};
  table.choice("clock", kClocks, 0);
  static constexpr std::string_view kOrders[] = {"first-come", "seeded"};
  settings.order = table.choice("threads", kOrders, 0) == 1 ? host::ThreadOrder::seeded
                                                            : host::ThreadOrder::first_come;
  settings.environment = read_texts(table, "environment");
  settings.binaries = read_texts(table, "binaries");
  settings.restart_binaries = read_texts(table, "restart_binaries");
  settings.configurations = read_configurations(table, nodes);
  settings.start_limit = read_limit(table, "start_limit", settings.start_limit);
  settings.recovery_limit = read_limit(table, "recovery_limit", settings.recovery_limit);
  settings.pause_max = read_limit(table, "pause_max", settings.pause_max);
  return settings;
}

/// Real servers are as they are.
void refuse_model_keys(const Options& options) {
  for (const std::string_view key : {"bugs", "parameters", "profiles"}) {
    if (options.has(key)) {
      options.fail(key,
                   "is for the simulated system (kind = \"xrpl\"); real servers are as they are");
    }
  }
}

SystemDescription describe(const xrpl::NetworkConfig& config) {
  SystemDescription description;
  description.name = "rippled";
  description.nodes = NodeKind::rippled;
  description.summary = "real servers of the XRP Ledger";
  description.same_messages_as = {"xrpl"};
  live::describe_messages(description, config.scheme);
  xrpl::describe_reports(description, config);
  description.observables = observable_names();
  return description;
}

LiveNetwork::Plan plan_of(const xrpl::NetworkConfig& config, const ServerSettings& servers,
                          const std::string& rippled) {
  LiveNetwork::Plan plan;
  plan.rippled = !rippled.empty() ? rippled : servers.rippled;
  plan.seed = 1;  // every run has the same servers
  plan.nodes = config.nodes;
  for (const std::vector<bool>& row : config.trusted) {
    std::vector<NodeId>& trusted = plan.trusted.emplace_back();
    for (std::size_t node = 0; node < row.size(); ++node) {
      if (row[node]) trusted.push_back(static_cast<NodeId>(node));
    }
  }
  for (std::size_t a = 0; a < config.nodes; ++a) {
    for (const NodeId b : config.links[a]) {
      if (a < b) plan.links.emplace_back(static_cast<NodeId>(a), b);
    }
  }
  plan.account_reserve = static_cast<std::uint64_t>(config.fees.reserve);
  plan.settings = servers;
  plan.is_funded = !config.accounts.empty();
  return plan;
}

class LiveSystem final : public System, public SessionMaker {
 public:
  LiveSystem(const Options& options, const std::string& rippled)
      : config_(xrpl::read_network(options)),
        servers_(read_servers(options, config_.nodes)),
        simulated_(xrpl::xrpl_entry().make(options)),
        description_(describe(config_)),
        pool_(plan_of(config_, servers_, rippled)) {
    check_binaries(options, "binaries", servers_.binaries.size(), config_.nodes);
    check_binaries(options, "restart_binaries", servers_.restart_binaries.size(), config_.nodes);
  }

  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return config_.nodes; }
  std::vector<NodeId> links_of(NodeId id) const override { return config_.links[id]; }
  SystemTraits traits() const override {
    return {.outside = true, .twin = "xrpl", .twin_lacks = {"servers"}};
  }
  std::shared_ptr<const Request> make_request(const Options& options) const override {
    return simulated_->make_request(options);
  }
  std::unique_ptr<Cluster> make_cluster(std::uint64_t seed) const override {
    return std::make_unique<LiveCluster>(config_, pool_.start(seed), nullptr, servers_, seed);
  }
  std::unique_ptr<Session> make_session(std::size_t runs_per_start) const override {
    return std::make_unique<LiveSession>(
        pool_, runs_per_start,
        [this](std::unique_ptr<LiveNetwork> network, LiveCluster::GiveBack give_back,
               std::uint64_t seed) {
          return std::make_unique<LiveCluster>(config_, std::move(network), std::move(give_back),
                                               servers_, seed);
        });
  }
  std::vector<ServerBinary> binaries() const { return pool_.binaries(); }

 private:
  xrpl::NetworkConfig config_;
  ServerSettings servers_;
  std::unique_ptr<System> simulated_;  ///< reads the workload
  SystemDescription description_;
  mutable NetworkPool pool_;  ///< guards itself; runs borrow from it
};

}  // namespace

std::vector<ServerBinary> binaries_of(const System& system) {
  const auto* const live = dynamic_cast<const LiveSystem*>(&system);
  return live == nullptr ? std::vector<ServerBinary>{} : live->binaries();
}

SystemEntry rippled_entry(std::string rippled) {
  return {"rippled", "real servers of the XRP Ledger behind an interceptor",
          [rippled = std::move(rippled)](const Options& options) -> std::unique_ptr<System> {
            refuse_model_keys(options);
            return std::make_unique<LiveSystem>(options, rippled);
          }};
}

}  // namespace dissensus::live
