// Connections between machines, as segments that nodes send each other: numbered, so that they
// arrive in order and once, and sent again until they have arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dissensus/ids.h"

#include "host/host.h"
#include "hosted/framing.h"
#include "hosted/plan.h"
#include "hosted/segment.h"

namespace dissensus::hosted {

class Connections {
 public:
  /// Both outlive this.
  Connections(const Plan& plan, host::Host& host) : plan_(plan), host_(host) {}

  /// A segment that this node is to send.
  struct Sending {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    Segment segment;
  };
  using Addressed = std::vector<std::pair<NodeId, Segment>>;

  // What programs did, and what is to be sent because of it.

  std::vector<Sending> opened(const host::Connection& connection);
  std::vector<Sending> wrote(const host::Connection& connection, host::Side from,
                             std::string_view bytes);
  std::vector<Sending> ended(const host::Connection& connection, host::Side from, bool gone);
  static Sending datagram(host::Datagram datagram);

  // On the way.

  /// Keeps what is under way, so that it can be sent again. What to ask again for after which time,
  /// if nobody does so yet.
  std::optional<Duration> sent(const Segment& segment);
  /// What has to be sent again, and after what time to ask the next time; nothing: all arrived.
  std::optional<Duration> unanswered(std::uint64_t flow, Addressed& again);
  /// Takes a segment that arrived; returns what has to be sent in answer.
  Addressed arrived(NodeId node, const Segment& segment);

  // Ends of machines.

  /// The open connections of a node, and who is at their other ends.
  std::vector<std::pair<host::ConnectionId, NodeId>> of(NodeId node) const;
  /// The other end is gone.
  void cut(host::ConnectionId connection, NodeId survivor);

 private:
  /// One direction of a connection.
  struct Flow {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    std::uint32_t next = 0;     ///< number of the next segment
    std::uint32_t arrived = 0;  ///< number of the next one to arrive
    std::map<std::uint32_t, Segment> early;
    std::deque<Segment> under_way;
    Duration patience{};
    Duration waited{};  ///< for what is under way
    bool has_timer = false;
    bool is_dead = false;
    std::unique_ptr<Framer> framer;
  };

  Flow& flow(std::uint64_t number) { return flows_.at(number); }
  Segment next_segment(host::ConnectionId connection, bool to_acceptor, Piece piece,
                       MessageKind kind, std::string bytes = {});
  void put(std::vector<Sending>& sendings, Segment segment);
  void put_part(std::vector<Sending>& sendings, host::ConnectionId connection, bool to_acceptor,
                protocols::Part part);
  std::string rest_of(host::ConnectionId connection, bool to_acceptor);
  MessageKind kind_of(const std::string& bytes) const;
  void carry_out(NodeId node, const Segment& segment, Addressed& answers);

  const Plan& plan_;
  host::Host& host_;
  std::vector<Flow> flows_;
  std::vector<std::unique_ptr<protocols::ConnectionReader>> readers_;  ///< by ConnectionId
};

}  // namespace dissensus::hosted
