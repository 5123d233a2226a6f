#include "systems/live/network.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dissensus/random.h"

#include "systems/live/wire/error.h"

namespace dissensus::live {

using namespace std::chrono_literals;

namespace {
/// So that the heartbeats of servers, one in a second, come at any distance from each other:
/// without this they would all come at once.
std::vector<std::chrono::microseconds> start_waits(const LiveNetwork::Plan& plan) {
  constexpr std::uint64_t kHeartbeat = 1'000'000;
  Random random(plan.run_seed, "start");
  std::vector<std::chrono::microseconds> waits;
  for (std::size_t node = 0; node < plan.nodes; ++node) {
    waits.emplace_back(node == 0 ? 0 : random.below(kHeartbeat));
  }
  return waits;
}
}  // namespace

LiveNetwork::LiveNetwork(Plan plan)
    : plan_(std::move(plan)), loop_({plan_.run_seed, plan_.settings.order}) {}

LiveNetwork::~LiveNetwork() {
  if (interceptor_) interceptor_->stop();
}

void LiveNetwork::start() {
  ServerNetworkOptions options;
  options.rippled = plan_.rippled;
  options.nodes = plan_.nodes;
  options.trusted = plan_.trusted;
  options.seed = plan_.seed;
  options.log_level = plan_.settings.log_level;
  options.account_reserve = plan_.account_reserve;
  options.environment = plan_.settings.environment;
  options.binaries = plan_.settings.binaries;
  options.restart_binaries = plan_.settings.restart_binaries;
  options.known_binaries = plan_.binaries;
  options.configurations = plan_.settings.configurations;
  options.start_waits = start_waits(plan_);
  servers_ = std::make_unique<ServerNetwork>(loop_.io, loop_.servers, std::move(options));
  servers_->start();

  InterceptorOptions between;
  std::vector<PublicKey> validators;
  for (std::size_t i = 0; i < plan_.nodes; ++i) {
    const auto node = static_cast<NodeId>(i);
    between.peers.push_back(
        {servers_->peer_address(node), servers_->peer_port(node), servers_->node_keys(node)});
    validators.push_back(servers_->validator_keys(node).public_key);
  }
  between.links = plan_.links;
  watch_ = std::make_unique<Watch>(std::move(validators));
  InterceptorHandler& handler = *this;  // private: make_unique may not convert
  interceptor_ = std::make_unique<Interceptor>(loop_.io, std::move(between), handler);
  interceptor_->start();
  loop_.servers.set_owner({[this](NodeId node) {
                             interceptor_->disconnect_node(node);
                             servers_->lose_server(node);
                           },
                           [this] {
                             return listener_ != nullptr ? listener_->attachments()
                                                         : std::vector<Outside::Attachment>{};
                           }});
  for (std::size_t i = 0; i < plan_.nodes; ++i) {
    const auto node = static_cast<NodeId>(i);
    servers_->client(node).on_event([this, node](const nlohmann::json& event) {
      if (listener_ != nullptr) listener_->on_server_event(node, event);
    });
  }
  const LoopTime deadline = now() + plan_.settings.start_limit;
  hasten_first_ledgers(deadline);
  if (plan_.is_funded) {
    servers_->wait_until_synced(deadline);
  } else {
    servers_->wait_until_ready(deadline);
  }
}

/// A server that knows no transactions leaves a ledger open until its calendar is 20 s ahead of the
/// last close, and takes transactions only once a ledger was validated: two such waits at the
/// start. The calendars of all servers go ahead together whenever nothing can be
/// under way.
void LiveNetwork::hasten_first_ledgers(LoopTime deadline) {
  constexpr auto kRound = 5s;
  constexpr auto kIdleInterval = 20s;
  const auto is_done = [this] {
    if (!trouble().empty()) return true;
    for (std::size_t node = 0; node < plan_.nodes; ++node) {
      if (servers_->state(static_cast<NodeId>(node)).validated_seq == 0) return false;
    }
    return true;
  };
  while (!servers_->run_until(is_done, std::min(deadline, now() + kRound)) && now() < deadline) {
    loop_.servers.push_calendars(kIdleInterval);
  }
}

bool LiveNetwork::recover(std::uint32_t ledgers_more) {
  if (!trouble().empty()) return false;
  const auto validated = [this](std::size_t node) {
    return servers_->state(static_cast<NodeId>(node)).validated_seq;
  };
  std::uint32_t most = 0;
  for (std::size_t node = 0; node < plan_.nodes; ++node) most = std::max(most, validated(node));
  const auto is_well = [&] {
    if (!servers_->all_proposing()) return false;
    for (std::size_t node = 0; node < plan_.nodes; ++node) {
      if (validated(node) < most + ledgers_more) return false;
    }
    return true;
  };
  // A network that has stood still for so long will not begin to move now.
  run_until(now() - stillness() + plan_.settings.recovery_limit,
            [&] { return is_well() || !trouble().empty(); });
  return is_well();
}

std::vector<FundedAccount> LiveNetwork::take_funded(std::size_t count) {
  std::vector<FundedAccount> taken(funded_ahead_.rbegin(),
                                   funded_ahead_.rbegin() + static_cast<std::ptrdiff_t>(count));
  funded_ahead_.resize(funded_ahead_.size() - count);
  return taken;
}

LoopTime::duration LiveNetwork::stillness() const {
  LoopTime last{};
  for (std::size_t node = 0; node < plan_.nodes; ++node) {
    last = std::max(last, servers_->state(static_cast<NodeId>(node)).last_ledger);
  }
  return std::max(LoopTime::duration{}, now() - last);
}

std::vector<FundedAccount> LiveNetwork::fund(const std::vector<AccountRequest>& accounts) {
  if (!funded_ahead_.empty()) return take_funded(accounts.size());
  const LoopTime deadline = now() + plan_.settings.start_limit;
  std::vector<AccountRequest> requests;
  for (std::size_t call = 0; call < funded_calls_; ++call) {
    requests.insert(requests.end(), accounts.begin(), accounts.end());
  }
  funded_ahead_ = fund_accounts(*servers_, requests, deadline);
  std::reverse(funded_ahead_.begin(), funded_ahead_.end());
  std::vector<FundedAccount> funded = take_funded(accounts.size());
  if (plan_.is_funded) servers_->wait_until_ready(deadline);
  return funded;
}

void LiveNetwork::pause(std::chrono::milliseconds time) {
  run_until(now() + time, [] { return false; });
}

void LiveNetwork::run_until(LoopTime until, const std::function<bool()>& stop) {
  drive(loop_.io, until, stop);
}

LoopTime LiveNetwork::now() const {
  return loop_.servers.now();
}

void LiveNetwork::restart(NodeId node) {
  servers_->restart_server(node);
  interceptor_->reconnect_node(node);
}

std::string LiveNetwork::trouble() const {
  const std::string trouble = loop_.servers.trouble();
  return trouble.empty() ? servers_->dead_server() : trouble;
}

void LiveNetwork::on_frame(NodeId from, NodeId to, Frame&& frame) {
  watch_->on_frame(from, frame);
  if (listener_ != nullptr) {
    listener_->on_frame(from, to, std::move(frame));
  } else {
    write(from, to, std::make_shared<const Bytes>(std::move(frame.bytes)));
  }
}

void LiveNetwork::on_link(NodeId a, NodeId b, bool up, std::string_view reason) {
  if (listener_ != nullptr) listener_->on_link(a, b, up, reason);
}

}  // namespace dissensus::live
