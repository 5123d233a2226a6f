// What travels between nodes: pieces of connections, and datagrams.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dissensus/digest.h"
#include "dissensus/message.h"

#include "host/host.h"
#include "hosted/protocols/protocol.h"

namespace dissensus::hosted {

// Kinds of messages that every cluster has; then those of the plan, then the protocol's.
inline constexpr MessageKind kConnect = 0;
inline constexpr MessageKind kAnswer = 1;
inline constexpr MessageKind kEnd = 2;
inline constexpr MessageKind kDatagram = 3;
inline constexpr MessageKind kData = 4;

enum class Piece : std::uint8_t { connect, accepted, refused, bytes, end, gone, datagram };

struct Segment {
  MessageKind message_kind = 0;
  Piece piece = Piece::bytes;
  bool to_acceptor = true;
  std::uint32_t connection = 0;
  std::uint32_t number = 0;  ///< among those of its direction of its connection
  host::Endpoint from;       ///< of a datagram
  host::Endpoint to;
  std::shared_ptr<const std::string> bytes = std::make_shared<std::string>();
  /// Of a message of the protocol: it travels as a PeerSegment.
  std::shared_ptr<const protocols::Content> content;

  MessageKind kind() const { return message_kind; }
  std::uint32_t wire_bytes() const { return static_cast<std::uint32_t>(bytes->size()) + 40; }
  Digest digest() const {
    return DigestBuilder()
        .add(message_kind)
        .add(static_cast<std::uint64_t>(piece))
        .add(std::uint64_t{connection} << 32 | number)
        .add(to_acceptor ? 1 : 0)
        .add(std::uint64_t{from.port} << 16 | to.port)
        .add(*bytes)
        .finish();
  }
  /// Which direction of which connection it belongs to.
  std::uint64_t flow() const { return std::uint64_t{connection} * 2 + (to_acceptor ? 0 : 1); }
};

/// The same for generic code, with the fields of the protocol.
struct PeerSegment : Segment {};

}  // namespace dissensus::hosted
