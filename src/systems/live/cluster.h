// The nodes of one live run: stand-ins for servers, and the outside that they stand for.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/holdable.h"
#include "dissensus/outside.h"
#include "dissensus/system.h"

#include "systems/live/lender.h"
#include "systems/live/messages.h"
#include "systems/live/network.h"
#include "systems/live/run_book.h"
#include "systems/xrpl/network.h"

namespace dissensus::live {

/// Something that a stand-in is to tell the world.
struct NodeNews {
  LoopTime time;
  NodeId node = kNoNode;
  // One of these:
  NodeId to = kNoNode;  ///< of `message`
  std::optional<RunMessage> message;
  nlohmann::json event;  ///< of a stream of the server
  std::string text;      ///< for the log
};

/// A client's payment, as servers know it.
struct SubmittedPayment {
  Hash256 id{};
  std::string account;
  std::uint32_t sequence = 0;
  std::uint32_t last_ledger = 0;  ///< the servers' number; 0: none
};

class LiveCluster final : public Cluster, public Outside, public Holdable, private NetworkListener {
 public:
  /// Borrows a network, funds the accounts and waits for a random moment of a round. `config` and
  /// `lender` outlive this. Throws LiveError.
  LiveCluster(const xrpl::NetworkConfig& config, NetworkLender& lender,
              const ServerSettings& settings, std::uint64_t seed);
  ~LiveCluster() override;

  std::unique_ptr<Node> make_node(NodeId id) override;
  Outside* outside() override { return this; }

  void begin() override;
  Happening wait(Time until) override;
  void crashed(NodeId node) override;
  std::string trouble() const override { return trouble_; }
  std::vector<Attachment> attachments() override;
  std::optional<Death> death() const override;

  std::string held() const override;
  std::string held_threads() const override;
  std::vector<std::string> write_cores(const std::string& folder) const override;
  void excuse(std::chrono::nanoseconds real_time) override;

  // For the stand-ins.

  const xrpl::NetworkConfig& config() const { return config_; }
  RunBook& book() { return book_; }
  const Watch& watch() const { return network_->watch(); }
  /// The oldest news, which must be of this node.
  NodeNews take_news(NodeId node);
  void write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame, Time scheduled);
  /// Signs a payment of the workload and submits it; the server's answer becomes news.
  void submit(NodeId node, const xrpl::Payment& payment, const std::string& from,
              const std::string& to);
  void restart_server(NodeId node);
  const std::vector<SubmittedPayment>& submitted() const { return submitted_; }
  /// Ledgers up to this one, by the servers' numbers, were validated before the run.
  std::uint32_t base_ledger() const { return base_ledger_; }

 private:
  void on_frame(NodeId from, NodeId to, Frame&& frame) override;
  void on_link(NodeId a, NodeId b, bool up, std::string_view reason) override;
  void on_server_event(NodeId node, const nlohmann::json& event) override;

  Time to_run_time(LoopTime time) const;
  void look_for_trouble();
  std::string address_of(const std::string& name) const;
  std::string figures() const;

  const xrpl::NetworkConfig& config_;
  NetworkLender& lender_;
  ServerSettings settings_;
  std::unique_ptr<LiveNetwork> network_;
  RunBook book_;
  std::vector<bool> is_down_;  ///< crashed by the schedule
  std::vector<FundedAccount> accounts_;
  std::deque<NodeNews> news_;
  std::vector<SubmittedPayment> submitted_;
  LoopTime origin_{};
  LoopTime next_look_{};
  std::uint32_t base_ledger_ = 0;
  std::string trouble_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< answers may come after the run
  std::vector<std::uint32_t> lateness_us_;                 ///< of frames that were written
  std::uint64_t links_lost_ = 0;
  std::vector<std::uintmax_t> log_begin_;  ///< size of each server's log when the run began
};

}  // namespace dissensus::live
