// One TLS connection to a server's peer port, in which the interceptor plays another server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systems/live/wire/frame.h"
#include "systems/live/wire/keys.h"

namespace boost::asio {
class io_context;
}

namespace dissensus::live {

struct InterceptorCounters;

enum class SessionEnd : std::uint8_t {
  unreachable,  ///< no connection, or it ended before the upgrade was done
  timeout,
  refused,    ///< the server answered the upgrade with an error
  untrusted,  ///< the server did not prove the expected identity
  protocol,   ///< malformed bytes
  overflow,   ///< too many bytes waiting to be written
  closed,     ///< the server ended an upgraded session
};

/// Hears of a session, on the io_context's thread, until Session::close().
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  /// TLS stands; Session::upgrade() comes next.
  virtual void on_secured(std::size_t half) = 0;
  /// The server accepted the upgrade and proved its identity; Session::start_reading() comes next.
  virtual void on_open(std::size_t half) = 0;
  /// May throw WireError, which ends the session as malformed bytes do.
  virtual void on_frame(std::size_t half, Frame&& frame) = 0;
  /// The session is closed; the reason says what the server did, without its name.
  virtual void on_end(std::size_t half, SessionEnd end, const std::string& reason) = 0;
};

struct SessionPlan {
  std::size_t half = 0;  ///< handed back to the owner
  std::string source_address;
  std::string server_address;
  std::uint16_t server_port = 0;
  KeyPair presented;   ///< of the server that is played
  PublicKey expected;  ///< of the server that is dialled
  std::string user_agent;
  std::optional<std::uint32_t> network_id;
  std::chrono::milliseconds handshake_timeout{};
  std::chrono::milliseconds idle_timeout{};
  std::size_t queue_bytes_max = 0;
  std::size_t frame_payload_max = kFramePayloadMax;
};

/// The client side of TLS, shared by all sessions. Servers are known by their node keys, so their
/// self-made certificates are not looked at (xrpl/peer-protocol.md 2).
class TlsClient;
std::shared_ptr<TlsClient> make_tls_client(boost::asio::io_context& io);

/// True for the text of an address that a session can use.
bool is_address(const std::string& text);

class Session {
 public:
  /// Dials at once; the owner hears of everything later, never during this call.
  static std::shared_ptr<Session> dial(boost::asio::io_context& io,
                                       const std::shared_ptr<TlsClient>& tls, SessionPlan plan,
                                       std::weak_ptr<SessionOwner> owner,
                                       std::shared_ptr<InterceptorCounters> counters);
  virtual ~Session() = default;

  virtual void upgrade() = 0;
  /// Until this is called the server's frames wait, at most what the sockets hold.
  virtual void start_reading() = 0;
  /// One frame, one write, one TLS record (several only where a frame exceeds 16 KiB).
  virtual void write(std::shared_ptr<const Bytes> frame) = 0;
  /// At once and for good; the owner hears nothing any more.
  virtual void close() = 0;
};

}  // namespace dissensus::live
