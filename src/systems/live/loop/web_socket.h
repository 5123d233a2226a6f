// The client's side of a WebSocket (RFC 6455) in the surroundings of its io_context: text messages,
// no extensions. Masks and keys repeat in virtual time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace dissensus::live {

struct WebSocketPlan {
  std::string address;
  std::uint16_t port = 0;
  std::chrono::milliseconds open_limit{3'000};   ///< for connecting, and for the handshake
  std::chrono::milliseconds idle_limit{20'000};  ///< a silent server is asked at half of it
  std::size_t message_bytes_max = std::size_t{16} << 20;
};

/// All are called from the loop; none after close().
struct WebSocketEvents {
  std::function<void()> opened;
  std::function<void(std::string text)> received;
  /// The connection is over, or never was; once.
  std::function<void(const std::string& reason)> ended;
};

class WebSocket {
 public:
  /// Connects at once. `number` tells connections of one io_context apart.
  WebSocket(boost::asio::io_context& io, const WebSocketPlan& plan, std::uint64_t number,
            WebSocketEvents events);
  ~WebSocket();  ///< closes
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  /// In the order of the calls, once it is open.
  void send(const std::string& text);
  void close();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace dissensus::live
