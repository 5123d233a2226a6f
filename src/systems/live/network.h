// A running network: servers, the interceptor between them, and what was seen of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dissensus/ids.h"

#include "systems/live/interceptor/interceptor.h"
#include "systems/live/loop/surroundings.h"
#include "systems/live/servers/accounts.h"
#include "systems/live/servers/server_network.h"
#include "systems/live/settings.h"
#include "systems/live/watch.h"

namespace dissensus::live {

class VirtualServers;

/// Who hears of a network while a run goes on.
class NetworkListener {
 public:
  virtual ~NetworkListener() = default;
  /// Frames are the listener's to pass on (LiveNetwork::write).
  virtual void on_frame(NodeId from, NodeId to, Frame&& frame) = 0;
  virtual void on_link(NodeId a, NodeId b, bool up, std::string_view reason) = 0;
  virtual void on_server_event(NodeId node, const nlohmann::json& event) = 0;
};

/// Used by one thread at a time. Frames pass at once unless a listener is attached; between runs
/// keep_alive() has a thread of its own do that.
class LiveNetwork final : private InterceptorHandler {
 public:
  struct Plan {
    std::string rippled;
    std::string folder;
    std::size_t nodes = 0;
    std::vector<std::vector<NodeId>> trusted;  ///< per node, itself included
    std::vector<std::pair<NodeId, NodeId>> links;
    std::uint64_t seed = 0;              ///< of keys
    std::uint64_t run_seed = 0;          ///< in virtual time: of all that servers draw
    std::vector<ServerBinary> binaries;  ///< what is known of them
    std::uint64_t account_reserve = 0;   ///< drops
    /// fund() follows start(): a network without payments waits 20 s for each of its first ledgers.
    bool is_funded = false;
    ServerSettings settings;
    std::function<bool()> is_interrupted;
  };

  explicit LiveNetwork(Plan plan);
  ~LiveNetwork() override;

  /// Starts everything and waits until all servers propose, or only until they take payments if
  /// the plan says that fund() follows, which then waits for the rest. Throws LiveError. The folder
  /// goes with the network unless something went wrong with it.
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
  void crash(NodeId node);
  void restart(NodeId node);

  /// From now on a thread of its own drives the network, until this is called with false. Not in
  /// virtual time, which waits for whoever uses it.
  void keep_alive(bool on);

  LoopTime now() const;
  /// Null in real time.
  const VirtualServers* virtual_servers() const;

  /// Which server died without being asked to, as a line for people; empty: none.
  std::string dead_server() const;
  ServerNetwork& servers() { return *servers_; }
  const ServerNetwork& servers() const { return *servers_; }
  const Interceptor& interceptor() const { return *interceptor_; }
  const Watch& watch() const { return *watch_; }
  const Plan& plan() const { return plan_; }
  /// In virtual time: it is not the servers that cannot go on, but what runs them.
  bool has_lost_servers() const;
  bool is_interrupted() const { return plan_.is_interrupted && plan_.is_interrupted(); }

 private:
  struct Loop;

  void hasten_first_ledgers(LoopTime deadline);
  std::vector<FundedAccount> take_funded(std::size_t count);
  void on_frame(NodeId from, NodeId to, Frame&& frame) override;
  void on_link(NodeId a, NodeId b, bool up, std::string_view reason) override;

  Plan plan_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<ServerNetwork> servers_;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Interceptor> interceptor_;
  NetworkListener* listener_ = nullptr;
  bool had_trouble_ = true;       ///< until the servers propose, and from the first mishap on
  std::size_t funded_calls_ = 1;  ///< that the next payments are for
  std::vector<FundedAccount> funded_ahead_;  ///< for calls to come, the last ones first
  std::jthread keeper_;
};

}  // namespace dissensus::live
