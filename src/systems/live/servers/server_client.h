// JSON over WebSocket to one server: requests with time limits, and the server's streams.
//
// The client connects by itself, again and again, and subscribes after each connect to: ledger,
// transactions, validations, consensus, server, peer_status. Everything happens on the thread that
// runs the io_context; no callback comes from within request() or after stop().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace boost::asio {
class io_context;
}

namespace dissensus::live {

class ServerClient {
 public:
  using Handler = std::function<void(const nlohmann::json& message)>;

  ServerClient(boost::asio::io_context& context, const std::string& address, std::uint16_t port);
  ~ServerClient();
  ServerClient(const ServerClient&) = delete;
  ServerClient& operator=(const ServerClient&) = delete;

  void start();
  /// Closes the connection. Requests under way are forgotten, not answered.
  void stop();

  /// Sends `command` ({"command": ..., ...}) and calls `done` once, with the server's whole reply
  /// ({"status": "success", "result": ...}) or {"status": "error", "error": ..., "error_message":
  /// ...}. Errors of our own: notConnected, disconnected, timeout.
  void request(nlohmann::json command, Handler done,
               std::chrono::milliseconds limit = std::chrono::seconds(5));

  /// Who hears stream messages (ledgerClosed, transaction, validationReceived, consensusPhase,
  /// serverStatus, peerStatusChange); an empty handler for nobody.
  void on_event(Handler handler);
  /// A second place of the same kind, for whoever owns the client.
  void on_event_of_owner(Handler handler);

  /// Connected and subscribed.
  bool connected() const;
  /// Why the last attempt or connection ended; empty if none did.
  const std::string& last_error() const;
  /// How often a connection was made.
  std::uint64_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Whether a reply is a success.
bool succeeded(const nlohmann::json& reply);
/// "error: message" of a reply that is none.
std::string error_of(const nlohmann::json& reply);

}  // namespace dissensus::live
