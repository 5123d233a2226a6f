// Stands between real servers. For every link it dials both servers and plays each one to the
// other; what one sends, its handler may hold, change, repeat or lose before the other gets it.
//
//   boost::asio::io_context io;
//   Interceptor interceptor(io, options, handler);
//   interceptor.start();
//   io.run();  // handler.on_frame(0, 1, frame) ... interceptor.write(0, 1, bytes)
//
// Not thread-safe: the io_context is run, and every function is called, by one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/ids.h"

#include "systems/live/interceptor/counters.h"
#include "systems/live/wire/frame.h"
#include "systems/live/wire/keys.h"

namespace boost::asio {
class io_context;
}

namespace dissensus::live {

/// A server's peer port. The index in InterceptorOptions::peers is its NodeId.
struct PeerEndpoint {
  std::string address;  ///< also the source address of the sessions in which this server is played
  std::uint16_t port = 0;
  KeyPair node_keys;  ///< of the server's own node seed: its identity towards other servers
};

struct InterceptorOptions {
  std::vector<PeerEndpoint> peers;
  std::vector<std::pair<NodeId, NodeId>> links;  ///< first < second, each pair once
  std::string user_agent = "dissensus";
  std::optional<std::uint32_t> network_id;  ///< sent when the servers have one

  /// From dialling to the end of the upgrade, for each half of a link.
  std::chrono::milliseconds handshake_timeout{10'000};
  /// A server pings every 60 s, so a half that is silent for longer than this is dead.
  std::chrono::milliseconds idle_timeout{200'000};
  /// The pause before dialling again doubles from min to max, and starts again at min once a link
  /// was up for `stable_time`.
  std::chrono::milliseconds redial_delay_min{50};
  std::chrono::milliseconds redial_delay_max{1'000};
  std::chrono::milliseconds stable_time{1'000};
  /// What may wait for one slow server on one link; beyond it the link is closed.
  std::size_t queue_bytes_max = std::size_t{64} << 20;
  std::size_t frame_payload_max = kFramePayloadMax;
};

/// Called on the thread that runs the io_context; may call any function of the interceptor, and may
/// destroy it. A WireError that it throws counts as a protocol error of the link, any other
/// exception as a failure of the handler; both close the link, none leaves the io_context.
class InterceptorHandler {
 public:
  virtual ~InterceptorHandler() = default;

  /// Server `from` sends a frame of a type that schedules act on (is_scheduled). It reaches `to`
  /// when the handler writes it. All other types are forwarded at once, answered or dropped inside.
  virtual void on_frame(NodeId from, NodeId to, Frame&& frame) = 0;

  /// Both halves of the link a < b are up now, or the link was up and is not any more. Attempts
  /// that fail are told by InterceptorCounters::links only.
  virtual void on_link(NodeId a, NodeId b, bool up, std::string_view reason) = 0;
};

class Interceptor {
 public:
  /// Throws LiveError for an address that is none, or a link that names no two peers.
  Interceptor(boost::asio::io_context& io, InterceptorOptions options, InterceptorHandler& handler);
  ~Interceptor();  ///< stops
  Interceptor(const Interceptor&) = delete;
  Interceptor& operator=(const Interceptor&) = delete;

  /// Dials all links, and dials again whatever ends, until stop().
  void start();

  /// Closes everything; no callback afterwards. start() may follow.
  void stop();

  /// Sends a frame, header included, to server `to` as if from server `from`: in the order of the
  /// calls, alone in its TLS record. Counted as dropped when the link is not up.
  void write(NodeId from, NodeId to, std::shared_ptr<const Bytes> frame);

  bool is_up(NodeId a, NodeId b) const;
  std::size_t links_up() const;
  std::size_t links() const;

  /// Closes the node's links and leaves them closed, as for a server that is about to crash.
  void disconnect_node(NodeId node);
  /// Ends disconnect_node: dials at once. Links to other disconnected nodes stay closed.
  void reconnect_node(NodeId node);

  const InterceptorCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The types that are handed to the handler: transactions, ledger data, and all of consensus.
bool is_scheduled(FrameType type);

}  // namespace dissensus::live
