#include "systems/live/cluster.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "hosted/kept.h"
#include "systems/live/node.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

namespace {

std::vector<KeyPair> validators_of(const LiveNetwork& network) {
  std::vector<KeyPair> keys;
  for (std::size_t node = 0; node < network.plan().nodes; ++node) {
    keys.push_back(network.servers().validator_keys(static_cast<NodeId>(node)));
  }
  return keys;
}

std::vector<AccountRequest> requests_of(const xrpl::NetworkConfig& config) {
  std::vector<AccountRequest> requests;
  for (const auto& account : config.accounts) {
    requests.push_back({account.name, static_cast<std::uint64_t>(account.balance)});
  }
  return requests;
}

nlohmann::ordered_json binaries_json(const std::vector<ServerBinary>& binaries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ServerBinary& binary : binaries) {
    nlohmann::ordered_json entry{{"path", binary.path},
                                 {"version", binary.version},
                                 {"sha256", binary.digest},
                                 {"nodes", binary.nodes}};
    if (!binary.restarts.empty()) entry["restarts_of"] = binary.restarts;
    list.push_back(std::move(entry));
  }
  return list;
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

}  // namespace

LiveCluster::LiveCluster(const xrpl::NetworkConfig& config, std::unique_ptr<LiveNetwork> network,
                         GiveBack give_back, const ServerSettings& settings, std::uint64_t seed)
    : config_(config),
      network_(std::move(network)),
      give_back_(std::move(give_back)),
      book_(validators_of(*network_)) {
  if (!config.accounts.empty()) accounts_ = network_->fund(requests_of(config));
  Random random(seed, "pause");
  network_->pause(std::chrono::milliseconds(
      random.below(static_cast<std::uint64_t>(settings.pause_max.count()) + 1)));
  const ServerNetwork& servers = network_->servers();
  for (std::size_t i = 0; i < config_.nodes; ++i) {
    const auto node = static_cast<NodeId>(i);
    base_ledger_ = std::max(base_ledger_, servers.state(node).validated_seq);
    log_begin_.push_back(size_of(servers.log_file(node)));
    for (const Watch::Built& built : watch().built(node)) {
      book_.note_ledger(built.ledger, {built.seq, built.parent});
    }
  }
  book_.align(base_ledger_, config_.ledger);
  network_->attach(this);
}

LiveCluster::~LiveCluster() {
  network_->attach(nullptr);
  if (give_back_) give_back_(std::move(network_));
}

std::unique_ptr<Node> LiveCluster::make_node(NodeId id) {
  return std::make_unique<LiveNode>(*this, id);
}

void LiveCluster::write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame) {
  ++frames_written_;
  network_->write(from, to, std::move(frame));
}

std::string LiveCluster::address_of(const std::string& name) const {
  const auto found =
      std::find_if(accounts_.begin(), accounts_.end(),
                   [&](const FundedAccount& account) { return account.name == name; });
  if (found != accounts_.end()) return found->keys.public_key.account_address();
  return account_keys(Seed::from_passphrase(name)).public_key.account_address();
}

void LiveCluster::submit(NodeId node, const xrpl::Payment& payment, const std::string& from,
                         const std::string& to) {
  const auto payer =
      std::find_if(accounts_.begin(), accounts_.end(),
                   [&](const FundedAccount& account) { return account.name == from; });
  Payment real;
  real.keys = payer != accounts_.end() ? payer->keys : account_keys(Seed::from_passphrase(from));
  real.destination = address_of(to);
  real.drops = static_cast<std::uint64_t>(payment.amount);
  real.fee = static_cast<std::uint64_t>(payment.fee);
  const std::uint32_t first = payer != accounts_.end() ? payer->sequence : 1;
  real.sequence = first + payment.sequence - config_.account_sequence;
  real.last_ledger = book_.to_real(payment.last_ledger);
  real.destination_tag = payment.tag;
  const SignedTransaction transaction = sign_payment(real);
  submitted_.push_back(
      {transaction.id, real.keys.public_key.account_address(), real.sequence, real.last_ledger});
  network_->servers().submit(
      node, transaction.blob,
      [this, node, id = transaction.id,
       alive = std::weak_ptr<int>(alive_)](const Submission& answer) {
        if (alive.expired()) return;
        tell(node,
             {.text = fmt::format("payment {}: {}", id.text().substr(0, 8),
                                  answer.error.empty() ? answer.engine_result : answer.error)});
      });
}

void LiveCluster::tell(NodeId node, ServerNews news) {
  network_->cluster().tell(node, std::move(news));
}

void LiveCluster::on_frame(NodeId from, NodeId to, Frame&& frame) {
  std::optional<RunMessage> message = read_message(std::move(frame), book_, config_.scheme);
  if (message) tell(from, {.to = to, .message = std::move(message)});
}

void LiveCluster::on_link(NodeId a, NodeId b, bool up, std::string_view reason) {
  if (!up) ++links_lost_;
  tell(a, {.text = up ? fmt::format("the link to {} is up", b)
                      : fmt::format("the link to {} is down: {}", b, reason)});
}

void LiveCluster::on_server_event(NodeId node, const nlohmann::json& event) {
  tell(node, {.event = event});
}

std::string LiveCluster::figures() const {
  const InterceptorCounters& counters = network_->interceptor().counters();
  const nlohmann::ordered_json json{
      {"rippled", network_->servers().version()},
      {"binaries", binaries_json(network_->servers().binaries())},
      {"frames_written", frames_written_},
      {"frames_forged", book_.forged_count()},
      {"links_lost", links_lost_},
      {"frames_dropped_on_closed_links", counters.dropped_link_down + counters.dropped_with_link},
      {"first_ledger_of_run", base_ledger_}};
  return json.dump(2) + "\n";
}

std::vector<Outside::Attachment> LiveCluster::attachments() {
  std::vector<Outside::Attachment> files{{"live.json", figures()}};
  for (std::size_t i = 0; i < config_.nodes && i < log_begin_.size(); ++i) {
    files.push_back({fmt::format("servers/{}.cfg", i),
                     network_->servers().configuration(static_cast<NodeId>(i))});
    files.push_back(
        {fmt::format("servers/{}.log", i),
         hosted::tail_of(network_->servers().log_file(static_cast<NodeId>(i)), log_begin_[i])});
  }
  return files;
}

}  // namespace dissensus::live
