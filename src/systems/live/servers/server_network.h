// All server processes of one network: keys, configurations, addresses, start, watch, end.
//
//   boost::asio::io_context io;
//   VirtualServers servers(io, {.seed = 1});
//   ServerNetwork network(io, servers, options);
//   network.start();
//   ... an Interceptor on the same io_context dials the servers ...
//   network.wait_until_ready(network.now() + std::chrono::minutes(2));
//
// What it is given outlives the network. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dissensus/ids.h"

#include "systems/live/loop/surroundings.h"
#include "systems/live/servers/binary.h"
#include "systems/live/servers/server_client.h"
#include "systems/live/servers/virtual_servers.h"
#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"
#include "systems/live/wire/keys.h"

namespace dissensus::live {

struct ServerNetworkOptions {
  std::string rippled;  ///< path of the binary, or a name to look for on PATH; empty: "rippled"
  std::vector<std::string> binaries{};          ///< per node, instead of `rippled`; or empty
  std::vector<std::string> restart_binaries{};  ///< per node, of servers started again; or empty
  std::size_t nodes = 0;
  std::vector<std::vector<NodeId>> trusted;  ///< per node; empty: every node trusts all
  std::uint64_t seed = 1;                    ///< all keys follow from it
  std::string log_level = "warning";
  std::uint64_t account_reserve = 10'000'000;  ///< what a new account needs, in drops
  std::vector<std::string> environment;        ///< "NAME=value" for the servers
  /// Per node, before its first start; empty: all start at once. Servers have heartbeats, so when
  /// they start is when they act.
  std::vector<std::chrono::microseconds> start_waits{};
  /// With what is known of the binaries already; the rest is asked.
  std::vector<ServerBinary> known_binaries{};
  /// Free text of configuration, per node; or empty (configuration.h).
  std::vector<std::string> configurations{};
  std::chrono::milliseconds poll_interval{1'000};  ///< of server_info
};

/// What is fixed for a server.
struct ServerIdentity {
  std::string address;
  std::uint16_t peer_port = 0;
  std::uint16_t websocket_port = 0;
  KeyPair node_keys;
  KeyPair validator_keys;
};

/// What is known of a server right now.
struct ServerState {
  bool running = false;
  std::string exit_text;  ///< "exited with code 1"; empty if it never ended by itself
  bool crashed_by_us = false;

  bool connected = false;    ///< WebSocket connected and subscribed
  std::string client_error;  ///< why the last connection ended or failed

  // From server_info, at most a poll interval old, and from the ledger stream.
  std::string server_state;  ///< "proposing"; empty while unknown
  std::size_t peers = 0;
  std::uint32_t validated_seq = 0;  ///< 0: none
  Hash256 validated_hash{};
  std::uint32_t ledgers_seen = 0;  ///< validated ledgers streamed since the process started
  LoopTime last_ledger{};          ///< when the last of them came

  /// Takes payments from clients.
  bool synced() const {
    return running && connected && (server_state == "full" || server_state == "proposing");
  }
  bool proposing() const { return running && connected && server_state == "proposing"; }
};

/// How a server took a transaction.
struct Submission {
  std::string engine_result;  ///< "tesSUCCESS"; empty if the server gave none
  std::string error;          ///< why there is no result
};

class ServerNetwork {
 public:
  ServerNetwork(boost::asio::io_context& context, VirtualServers& servers,
                ServerNetworkOptions options);
  ~ServerNetwork();
  ServerNetwork(const ServerNetwork&) = delete;
  ServerNetwork& operator=(const ServerNetwork&) = delete;

  /// Starts a fresh network, once. Throws LiveError when there is no such binary, it is no rippled,
  /// a folder cannot be written.
  void start();

  std::size_t size() const;
  const ServerIdentity& identity(NodeId node) const;  ///< addresses are known after start()
  const std::string& peer_address(NodeId node) const { return identity(node).address; }
  std::uint16_t peer_port(NodeId node) const { return identity(node).peer_port; }
  const KeyPair& node_keys(NodeId node) const { return identity(node).node_keys; }
  const KeyPair& validator_keys(NodeId node) const { return identity(node).validator_keys; }
  /// What the binaries say of themselves, e.g. "1.7.2" or "1.7.2, 2.4.0"; known after start().
  const std::string& version() const;
  /// The binaries with their versions; known after start().
  const std::vector<ServerBinary>& binaries() const;
  /// What a server was told, without secrets; known after start().
  std::string configuration(NodeId node) const;
  const ServerNetworkOptions& options() const;
  std::string log_file(NodeId node) const;

  ServerClient& client(NodeId node);  ///< after start()
  ServerState state(NodeId node) const;
  /// "proposing, validated ledger 12, 4 peers", or how it died.
  std::string describe(NodeId node) const;
  bool all_proposing() const;
  /// The first server that ended by itself, as one line for people; empty: none.
  std::string dead_server() const;

  /// As a crash does it.
  void kill_server(NodeId node);
  /// Somebody else has stopped it.
  void lose_server(NodeId node);
  /// Starts a crashed server again; it gets its ledger from the others.
  void restart_server(NodeId node);

  /// Runs the io_context until the condition holds; false if it does not by the deadline.
  bool run_until(const std::function<bool()>& condition, LoopTime deadline);
  /// In the time of its io_context.
  LoopTime now() const;
  /// Runs the io_context until every server takes part in consensus, so that it takes payments:
  /// half the way to wait_until_ready. Throws LiveError like that.
  void wait_until_synced(LoopTime deadline);
  /// Runs the io_context until every server proposes and all have validated the same ledger, with
  /// at least one before it. Throws LiveError with a line on every node at the deadline, or when a
  /// server ends.
  void wait_until_ready(LoopTime deadline);

  /// Hands a signed transaction to one server.
  void submit(NodeId node, ByteView blob, std::function<void(const Submission&)> done);

  /// 1, 2, 3...: for keys that are new on each call, for the same seed the same.
  std::uint64_t next_account_call();

 private:
  struct State;
  void wait_until(LoopTime deadline, const std::function<bool()>& is_reached);

  std::shared_ptr<State> state_;
};

}  // namespace dissensus::live
