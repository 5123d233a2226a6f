#include "systems/xrpl/network.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "systems/xrpl/amount.h"
#include "systems/xrpl/close_time.h"

namespace dissensus::xrpl {

std::optional<Drops> parse_xrp(std::string_view text) {
  constexpr std::size_t kDecimals = 6;
  constexpr Drops kMost = 100'000'000'000 * kDropsPerXrp;
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part =
      point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() || whole.size() > 12 || part.size() > kDecimals) return std::nullopt;
  if (point != std::string_view::npos && part.empty()) return std::nullopt;
  Drops drops = 0;
  for (std::size_t i = 0; i < whole.size() + kDecimals; ++i) {
    char digit = '0';
    if (i < whole.size()) {
      digit = whole[i];
    } else if (i - whole.size() < part.size()) {
      digit = part[i - whole.size()];
    }
    if (digit < '0' || digit > '9') return std::nullopt;
    drops = drops * 10 + static_cast<Drops>(digit - '0');
  }
  if (drops > kMost) return std::nullopt;
  return drops;
}

Drops read_xrp(const OptionValue& value) {
  constexpr std::string_view kExpected =
      "expected XRP as a text such as \"100.0001\" with at most six decimals";
  std::optional<Drops> drops;
  if (value.is_text()) {
    drops = parse_xrp(value.text());
  } else if (value.is_integer()) {
    drops = parse_xrp(std::to_string(value.integer(0)));
  } else if (value.is_number()) {
    drops = parse_xrp(fmt::format("{}", value.number(0)));
  }
  if (!drops) value.fail(kExpected);
  return *drops;
}

namespace {

/// A list of lists of node numbers, one inner list per node.
std::vector<std::vector<NodeId>> read_node_lists(const OptionValue& value, std::size_t nodes) {
  std::vector<std::vector<NodeId>> lists;
  for (const OptionValue& row : value.list()) {
    std::vector<NodeId>& list = lists.emplace_back();
    for (const OptionValue& entry : row.list()) {
      list.push_back(static_cast<NodeId>(entry.integer(0, static_cast<std::int64_t>(nodes) - 1)));
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  if (lists.size() != nodes) {
    value.fail(fmt::format("{} lists, expected one per node ({})", lists.size(), nodes));
  }
  return lists;
}

Profile read_profile(const OptionValue& value) {
  return static_cast<Profile>(value.choice(kProfileNames));
}

std::vector<Profile> read_profiles(const Options& options, std::size_t nodes) {
  if (const auto list = options.find("profiles")) {
    std::vector<Profile> profiles;
    for (const OptionValue& entry : list->list()) profiles.push_back(read_profile(entry));
    if (profiles.size() != nodes) {
      list->fail(fmt::format("{} profiles, expected one per node ({})", profiles.size(), nodes));
    }
    return profiles;
  }
  const auto one = options.find("profile");
  return std::vector<Profile>(nodes, one ? read_profile(*one) : Profile::v1_7_2);
}

void read_bugs(const Options& options, std::vector<Parameters>& parameters) {
  const auto bugs = options.find("bugs");
  if (!bugs) return;
  for (const OptionValue& entry : bugs->list()) {
    const std::size_t bug = entry.choice(kBugNames);
    for (Parameters& of_node : parameters) apply_bug(kBugNames[bug], of_node);
  }
}

void read_trust(const Options& options, NetworkConfig& config) {
  const std::size_t nodes = config.nodes;
  config.trusted.assign(nodes, std::vector<bool>(nodes, true));
  const auto unl = options.find("unl");
  if (!unl) return;
  if (unl->is_text()) {
    constexpr std::string_view kWords[] = {"full", "two-unl"};
    if (unl->choice(kWords) == 0) return;
    // consensus.md 16, "Insufficient support".
    if (nodes != 7) unl->fail("\"two-unl\" needs nodes = 7");
    const std::vector<bool> first{true, true, true, true, true, false, false};
    const std::vector<bool> second{false, false, true, true, true, true, true};
    for (std::size_t node = 0; node < nodes; ++node) {
      config.trusted[node] = node <= 3 ? first : second;
      config.trusted[node][node] = true;
    }
    return;
  }
  const auto lists = read_node_lists(*unl, nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    config.trusted[node].assign(nodes, false);
    config.trusted[node][node] = true;
    for (const NodeId other : lists[node]) config.trusted[node][other] = true;
  }
}

void read_topology(const Options& options, NetworkConfig& config) {
  const std::size_t nodes = config.nodes;
  config.links.assign(nodes, {});
  const auto topology = options.find("topology");
  constexpr std::string_view kWords[] = {"full"};
  if (!topology || (topology->is_text() && topology->choice(kWords) == 0)) {
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t other = 0; other < nodes; ++other) {
        if (other != node) config.links[node].push_back(static_cast<NodeId>(other));
      }
    }
    return;
  }
  // A link is a connection: it leads both ways, whichever end names it.
  const auto lists = read_node_lists(*topology, nodes);
  std::vector<std::vector<bool>> linked(nodes, std::vector<bool>(nodes));
  for (std::size_t node = 0; node < nodes; ++node) {
    for (const NodeId other : lists[node]) linked[node][other] = linked[other][node] = true;
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t other = 0; other < nodes; ++other) {
      if (other != node && linked[node][other]) {
        config.links[node].push_back(static_cast<NodeId>(other));
      }
    }
  }
}

void read_accounts(const Options& options, NetworkConfig& config) {
  const Options accounts = options.table("accounts");
  for (const std::string& name : accounts.keys()) {
    config.accounts.push_back({name, digest_of_text(name), read_xrp(accounts.at(name))});
  }
}

void read_start(const Options& options, NetworkConfig& config) {
  constexpr std::string_view kStarts[] = {"genesis", "warm"};
  config.start = static_cast<NetworkConfig::Start>(options.choice("start", kStarts, 1));
  config.ledger = static_cast<std::uint32_t>(options.integer("ledger", 5, 2, 1'000'000'000));
  if (const auto phases = options.find("heartbeat_phases")) {
    for (const OptionValue& entry : phases->list()) {
      config.heartbeat_phases.push_back(
          entry.is_text() ? entry.duration()
                          : Duration(std::chrono::milliseconds(entry.integer(0, 3'600'000))));
    }
    if (config.heartbeat_phases.size() != config.nodes) {
      phases->fail(fmt::format("{} phases, expected one per node ({})",
                               config.heartbeat_phases.size(), config.nodes));
    }
  }
  if (const auto first = options.find("first_close")) config.first_close = first->duration();
  if (const auto time = options.find("network_time")) {
    config.network_time = time->integer(1, UINT32_MAX);
  }
}

}  // namespace

NetworkConfig read_network(const Options& options) {
  NetworkConfig config;
  config.nodes = static_cast<std::size_t>(options.integer("nodes", 5, 1, kMaxNodes));
  const std::vector<Profile> profiles = read_profiles(options, config.nodes);
  for (const Profile profile : profiles) config.parameters.push_back(parameters_of(profile));
  read_bugs(options, config.parameters);
  const Options overrides = options.table("parameters");
  for (Parameters& parameters : config.parameters) read_parameters(overrides, parameters);
  config.fees = fees_of(profiles.front());
  if (const auto reserve = options.find("reserve")) config.fees.reserve = read_xrp(*reserve);
  if (const auto fee = options.find("base_fee")) config.fees.base = read_xrp(*fee);
  read_trust(options, config);
  read_topology(options, config);
  read_accounts(options, config);
  read_start(options, config);
  config.relay = options.boolean("relay", true);
  const auto kinds = options.find("message_kinds");
  if (kinds) {
    const std::int64_t count = kinds->integer();
    if (count != 7 && count != 13) kinds->fail("expected 13 (thesis Table 3.1) or 7");
    config.scheme = count == 7 ? KindScheme::seven : KindScheme::thirteen;
  }
  config.accept_delay = options.duration("accept_delay", config.accept_delay);
  config.heartbeat_lateness = options.duration("heartbeat_lateness", config.heartbeat_lateness);
  if (const auto levels = options.find("final_levels")) {
    constexpr std::string_view kLevels[] = {"transaction-set", "built", "ledger"};
    for (const OptionValue& entry : levels->list()) {
      config.final_levels.emplace_back(kLevels[entry.choice(kLevels)]);
    }
  }
  return config;
}

Network::Network(const NetworkConfig& settings, std::uint64_t seed)
    : config(settings), store(settings.fees) {
  // A multiple of every close-time resolution, some 25 years after the epoch of the network clock.
  constexpr NetTime kEpoch = 780'000'000;
  constexpr std::uint64_t kOffsets = 120;
  Random random(seed, "xrpl-start");
  network_time = kEpoch + static_cast<NetTime>(random.below(kOffsets));
  if (config.network_time) network_time = *config.network_time;

  State state;
  for (const NetworkConfig::Account& account : config.accounts) {
    const AccountIndex index = store.account(account.id);
    if (index >= state.accounts.size()) state.accounts.resize(index + 1);
    state.accounts[index] = {account.balance, config.account_sequence, true};
  }
  state.total = 100'000'000'000 * kDropsPerXrp;
  if (config.start == NetworkConfig::Start::genesis) {
    first_ledger = store.add_root(std::move(state), 1, 0);
    return;
  }
  constexpr std::uint64_t kHeartbeatsPerLedger = 3;
  first_close = config.first_close.value_or(
      Duration(std::chrono::seconds(random.below(kHeartbeatsPerLedger))));
  const std::uint8_t resolution = kResolutions[0];
  const NetTime closed = round_close_time(network_time - 1, resolution);
  const Ledger* parent = store.add_root(std::move(state), config.ledger - 1, closed - resolution);
  first_ledger = store.build(*parent, *store.empty_set(), closed, resolution).ledger;
}

}  // namespace dissensus::xrpl
