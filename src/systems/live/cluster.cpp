#include "systems/live/cluster.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "core/assert.h"
#include "systems/live/node.h"
#include "systems/live/servers/process.h"
#include "systems/live/virtual_servers.h"
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

/// The last part, from a line's beginning, of what a file holds from `begin` on.
std::string tail_of(const std::string& path, std::uintmax_t begin) {
  constexpr std::uintmax_t kKept = std::uintmax_t{4} << 20;
  const std::uintmax_t end = size_of(path);
  if (begin > end) begin = 0;  // the file was begun anew
  const bool is_cut = end - begin > kKept;
  if (is_cut) begin = end - kKept;
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!is_cut) return text;
  return "... (the beginning was left out)\n" +
         text.substr(std::min(text.size(), text.find('\n') + 1));
}

}  // namespace

LiveCluster::LiveCluster(const xrpl::NetworkConfig& config, NetworkLender& lender,
                         const ServerSettings& settings, std::uint64_t seed)
    : config_(config),
      lender_(lender),
      settings_(settings),
      network_(lender.take(seed)),
      book_(validators_of(*network_)),
      is_down_(config.nodes, false) {
  try {
    if (!config.accounts.empty()) accounts_ = network_->fund(requests_of(config));
    Random random(seed, "pause");
    network_->pause(std::chrono::milliseconds(
        random.below(static_cast<std::uint64_t>(settings.pause_max.count()) + 1)));
  } catch (...) {
    lender_.give_back(std::move(network_));
    throw;
  }
}

LiveCluster::~LiveCluster() {
  lender_.give_back(std::move(network_));
}

std::unique_ptr<Node> LiveCluster::make_node(NodeId id) {
  return std::make_unique<LiveNode>(*this, id);
}

void LiveCluster::begin() {
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
  origin_ = network_->now();
}

Time LiveCluster::to_run_time(LoopTime time) const {
  return Time{} + std::max(Duration{}, std::chrono::duration_cast<Duration>(time - origin_));
}

Outside::Happening LiveCluster::wait(Time until) {
  const auto is_done = [this] {
    // Nobody hears what a crashed server said last.
    std::erase_if(news_, [this](const NodeNews& news) { return is_down_[news.node]; });
    return !news_.empty();
  };
  if (!is_done()) {
    // "until" may be the end of time.
    const auto until_real = until > Time{} + std::chrono::hours(24 * 365)
                                ? LoopTime::max()
                                : origin_ + (until - Time{});
    network_->run_until(std::min(until_real, network_->now() + std::chrono::milliseconds(500)),
                        is_done);
  }
  look_for_trouble();
  if (!news_.empty()) return {to_run_time(news_.front().time), news_.front().node};
  return {to_run_time(network_->now()), kNoNode};
}

void LiveCluster::crashed(NodeId node) {
  is_down_[node] = true;
  network_->crash(node);
}

void LiveCluster::restart_server(NodeId node) {
  is_down_[node] = false;
  network_->restart(node);
}

void LiveCluster::look_for_trouble() {
  if (network_->is_interrupted()) trouble_ = kInterrupted;
  const auto now = network_->now();
  if (now < next_look_) return;
  next_look_ = now + std::chrono::milliseconds(200);
  if (trouble_.empty()) trouble_ = network_->dead_server();
}

std::optional<Outside::Death> LiveCluster::death() const {
  // Whoever stops us may have stopped them as well.
  if (network_->is_interrupted() || network_->has_lost_servers()) return std::nullopt;
  for (std::size_t i = 0; i < config_.nodes; ++i) {
    const auto node = static_cast<NodeId>(i);
    const ServerState state = network_->servers().state(node);
    if (state.running || state.crashed_by_us) continue;
    // Without the path of the log: equal ends are equal texts.
    return Death{node, exit_word(state.exit_status),
                 fmt::format("the server of node {} {}", node, exit_text(state.exit_status))};
  }
  return std::nullopt;
}

NodeNews LiveCluster::take_news(NodeId node) {
  DISSENSUS_ASSERT(!news_.empty() && news_.front().node == node,
                   "LiveCluster::take_news : news are told in order");
  NodeNews news = std::move(news_.front());
  news_.pop_front();
  return news;
}

void LiveCluster::write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame,
                        Time scheduled) {
  const Duration late = to_run_time(network_->now()) - scheduled;
  lateness_us_.push_back(
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(late.count(), 0, UINT32_MAX)));
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
  network_->servers().submit(node, transaction.blob,
                             [this, node, id = transaction.id,
                              alive = std::weak_ptr<int>(alive_)](const Submission& answer) {
                               if (alive.expired()) return;
                               NodeNews news;
                               news.time = network_->now();
                               news.node = node;
                               news.text = fmt::format(
                                   "payment {}: {}", id.text().substr(0, 8),
                                   answer.error.empty() ? answer.engine_result : answer.error);
                               news_.push_back(std::move(news));
                             });
}

void LiveCluster::on_frame(NodeId from, NodeId to, Frame&& frame) {
  NodeNews news;
  news.time = network_->now();
  news.node = from;
  news.to = to;
  news.message = read_message(std::move(frame), book_, config_.scheme);
  if (news.message) news_.push_back(std::move(news));
}

void LiveCluster::on_link(NodeId a, NodeId b, bool up, std::string_view reason) {
  NodeNews news;
  news.time = network_->now();
  news.node = a;
  news.text = up ? fmt::format("the link to {} is up", b)
                 : fmt::format("the link to {} is down: {}", b, reason);
  if (!up) ++links_lost_;
  news_.push_back(std::move(news));
}

void LiveCluster::on_server_event(NodeId node, const nlohmann::json& event) {
  NodeNews news;
  news.time = network_->now();
  news.node = node;
  news.event = event;
  news_.push_back(std::move(news));
}

std::string LiveCluster::figures() const {
  std::vector<std::uint32_t> late = lateness_us_;
  std::sort(late.begin(), late.end());
  const auto share = [&late](double part) -> std::uint32_t {
    if (late.empty()) return 0;
    return late[static_cast<std::size_t>(part * static_cast<double>(late.size() - 1))];
  };
  const InterceptorCounters& counters = network_->interceptor().counters();
  const nlohmann::ordered_json json{
      {"rippled", network_->servers().version()},
      {"binaries", binaries_json(network_->servers().binaries())},
      {"frames_written", late.size()},
      {"lateness_us", {{"median", share(0.5)}, {"p99", share(0.99)}, {"max", share(1)}}},
      {"frames_forged", book_.forged_count()},
      {"links_lost", links_lost_},
      {"frames_dropped_on_closed_links", counters.dropped_link_down + counters.dropped_with_link},
      {"first_ledger_of_run", base_ledger_}};
  return json.dump(2) + "\n";
}

std::vector<Outside::Attachment> LiveCluster::attachments() {
  std::vector<Attachment> files{{"live.json", figures()}};
  for (std::size_t i = 0; i < config_.nodes && i < log_begin_.size(); ++i) {
    files.push_back({fmt::format("servers/{}.cfg", i),
                     network_->servers().configuration(static_cast<NodeId>(i))});
    files.push_back({fmt::format("servers/{}.log", i),
                     tail_of(network_->servers().log_file(static_cast<NodeId>(i)), log_begin_[i])});
  }
  if (const VirtualServers* const servers = network_->virtual_servers()) {
    const host::Report report = servers->report();
    files.push_back({host::kReportFile, host::to_text(report)});
    files.push_back({host::kJournalFile, report.journal.to_bytes()});
    files.push_back({"servers/threads.txt", host::to_text(servers->threads())});
  }
  return files;
}

}  // namespace dissensus::live
