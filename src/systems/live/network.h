// A running network: servers, the interceptor between them, and what was seen of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json_fwd.hpp>

#include "dissensus/ids.h"

#include "systems/live/interceptor/interceptor.h"
#include "systems/live/loop/surroundings.h"
#include "systems/live/servers/accounts.h"
#include "systems/live/servers/server_network.h"
#include "systems/live/servers/virtual_servers.h"
#include "systems/live/settings.h"
#include "systems/live/watch.h"

namespace dissensus::live {

/// Who hears of a network while a run goes on.
class NetworkListener {
 public:
  virtual ~NetworkListener() = default;
  /// Frames are the listener's to pass on (LiveNetwork::write).
  virtual void on_frame(NodeId from, NodeId to, Frame&& frame) = 0;
  virtual void on_link(NodeId a, NodeId b, bool up, std::string_view reason) = 0;
  virtual void on_server_event(NodeId node, const nlohmann::json& event) = 0;
  /// What is to be kept of the run.
  virtual std::vector<Outside::Attachment> attachments() = 0;
};

/// Used by one thread at a time. Frames pass at once unless a listener is attached.
class LiveNetwork final : private InterceptorHandler {
 public:
  struct Plan {
    std::string rippled;
    std::size_t nodes = 0;
    std::vector<std::vector<NodeId>> trusted;  ///< per node, itself included
    std::vector<std::pair<NodeId, NodeId>> links;
    std::uint64_t seed = 0;              ///< of keys
    std::uint64_t run_seed = 0;          ///< of all that servers draw
    std::vector<ServerBinary> binaries;  ///< what is known of them
    std::uint64_t account_reserve = 0;   ///< drops
    /// fund() follows start(): a network without payments waits 20 s for each of its first ledgers.
    bool is_funded = false;
    ServerSettings settings;
  };

  explicit LiveNetwork(Plan plan);
  ~LiveNetwork() override;

  /// Starts everything and waits until all servers propose, or only until they take payments if
  /// the plan says that fund() follows, which then waits for the rest. Throws LiveError.
  void start();
  /// Waits until every server proposes and has some ledgers more than now; false if a server has
  /// died, or if that takes too long, counted from the last ledger that any server has validated.
  bool recover(std::uint32_t ledgers_more = 2);
  /// Since when no server has validated a ledger.
  LoopTime::duration stillness() const;
  /// The next call of fund() pays for that many equal ones.
  void fund_ahead(std::size_t calls) { funded_calls_ = calls; }
  /// Throws LiveError.
  std::vector<FundedAccount> fund(const std::vector<AccountRequest>& accounts);
  void pause(std::chrono::milliseconds time);

  void attach(NetworkListener* listener) { listener_ = listener; }
  /// Drives the network until `stop` says so or `until` has come, whichever is first.
  void run_until(LoopTime until, const std::function<bool()>& stop);
  void write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame) {
    interceptor_->write(from, to, std::move(frame));
  }
  void restart(NodeId node);

  LoopTime now() const;
  hosted::Cluster& cluster() { return loop_.servers.cluster(); }

  /// Which server died without being asked to, or why none can go on, as a line for people; empty:
  /// all is well.
  std::string trouble() const;
  ServerNetwork& servers() { return *servers_; }
  const ServerNetwork& servers() const { return *servers_; }
  const Interceptor& interceptor() const { return *interceptor_; }
  const Watch& watch() const { return *watch_; }
  const Plan& plan() const { return plan_; }

 private:
  struct Loop {
    explicit Loop(const VirtualServers::Plan& plan) : servers(io, plan) {}
    boost::asio::io_context io{1};
    VirtualServers servers;
  };

  void hasten_first_ledgers(LoopTime deadline);
  std::vector<FundedAccount> take_funded(std::size_t count);
  void on_frame(NodeId from, NodeId to, Frame&& frame) override;
  void on_link(NodeId a, NodeId b, bool up, std::string_view reason) override;

  Plan plan_;
  Loop loop_;
  std::unique_ptr<ServerNetwork> servers_;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Interceptor> interceptor_;
  NetworkListener* listener_ = nullptr;
  std::size_t funded_calls_ = 1;             ///< that the next payments are for
  std::vector<FundedAccount> funded_ahead_;  ///< for calls to come, the last ones first
};

}  // namespace dissensus::live
