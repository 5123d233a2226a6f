// The nodes of one live run: stand-ins for servers of a hosted cluster, and what the run knows of
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/outside.h"
#include "dissensus/system.h"

#include "systems/live/messages.h"
#include "systems/live/network.h"
#include "systems/live/run_book.h"
#include "systems/xrpl/network.h"

namespace dissensus::live {

/// Something that a stand-in is to tell the world: one of these.
struct ServerNews {
  NodeId to = kNoNode;  ///< of `message`
  std::optional<RunMessage> message = std::nullopt;
  nlohmann::json event = nullptr;  ///< of a stream of the server
  std::string text = {};           ///< for the log
};

/// A client's payment, as servers know it.
struct SubmittedPayment {
  Hash256 id{};
  std::string account;
  std::uint32_t sequence = 0;
  std::uint32_t last_ledger = 0;  ///< the servers' number; 0: none
};

class LiveCluster final : public Cluster, private NetworkListener {
 public:
  using GiveBack = std::function<void(std::unique_ptr<LiveNetwork> network)>;

  /// Funds the accounts and waits for a random moment of a round. `config` outlives this. The
  /// network goes to `give_back` at the end, if there is one. Throws LiveError.
  LiveCluster(const xrpl::NetworkConfig& config, std::unique_ptr<LiveNetwork> network,
              GiveBack give_back, const ServerSettings& settings, std::uint64_t seed);
  ~LiveCluster() override;

  std::unique_ptr<Node> make_node(NodeId id) override;
  Outside* outside() override { return &network_->cluster(); }

  // For the stand-ins.

  const xrpl::NetworkConfig& config() const { return config_; }
  RunBook& book() { return book_; }
  const Watch& watch() const { return network_->watch(); }
  /// The news for which the world called Node::happened.
  hosted::News take_news(NodeId node) { return network_->cluster().take_news(node); }
  void write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame);
  /// Signs a payment of the workload and submits it; the server's answer becomes news.
  void submit(NodeId node, const xrpl::Payment& payment, const std::string& from,
              const std::string& to);
  void restart_server(NodeId node) { network_->restart(node); }
  const std::vector<SubmittedPayment>& submitted() const { return submitted_; }
  /// Ledgers up to this one, by the servers' numbers, were validated before the run.
  std::uint32_t base_ledger() const { return base_ledger_; }

 private:
  void on_frame(NodeId from, NodeId to, Frame&& frame) override;
  void on_link(NodeId a, NodeId b, bool up, std::string_view reason) override;
  void on_server_event(NodeId node, const nlohmann::json& event) override;

  std::vector<Outside::Attachment> attachments() override;
  void tell(NodeId node, ServerNews news);

  std::string address_of(const std::string& name) const;
  std::string figures() const;

  const xrpl::NetworkConfig& config_;
  std::unique_ptr<LiveNetwork> network_;
  GiveBack give_back_;
  RunBook book_;
  std::vector<FundedAccount> accounts_;
  std::vector<SubmittedPayment> submitted_;
  std::uint32_t base_ledger_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< answers may come after the run
  std::uint64_t frames_written_ = 0;
  std::uint64_t links_lost_ = 0;
  std::vector<std::uintmax_t> log_begin_;  ///< size of each server's log when the run began
};

}  // namespace dissensus::live
