// What servers say to each other, message by message: where each ends in a stream of bytes, its
// kind and its fields. No I/O; bytes may be anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/digest.h"

namespace dissensus::protocols {

/// What a server calls itself in its messages; 0: nobody. It may live on another machine later, and
/// another server on its machine.
using ServerName = std::uint64_t;

/// A change of who has a vote.
struct RaftChange {
  enum class Type : std::uint8_t {
    add,      ///< one more, or a learner that becomes one
    learner,  ///< a server without a vote
    remove,
    exactly,  ///< all that have one
  };
  Type type = Type::exactly;
  std::vector<ServerName> servers;
};

struct RaftEntry {
  std::uint64_t term = 0;
  Digest content;  ///< without term and index
  std::optional<RaftChange> change;
};

/// What messages of Raft carry, whoever wrote the server. 0 where a kind has no such field.
struct RaftFields {
  std::uint64_t term = 0;
  std::uint64_t index = 0;     ///< of the entry that the message is about: before the new ones, the
                               ///< candidate's last, the last that arrived
  std::uint64_t log_term = 0;  ///< of that entry
  std::uint64_t commit = 0;
  std::uint64_t entries = 0;  ///< how many come with it
  bool is_refused = false;    ///< an answer that says no
  ServerName from = 0;
  ServerName to = 0;
  ServerName vote = 0;                ///< for whom the sender says that it has voted in this term
  std::vector<RaftEntry> log;         ///< the entries themselves
  std::optional<RaftChange> members;  ///< as of the end of a snapshot
};

/// A part of a stream that arrives as a whole.
struct Part {
  std::string bytes;
  std::optional<std::size_t> kind;  ///< index into Protocol::kinds; none: bytes like any others
  RaftFields fields;
};

/// Larger messages, and what does not look like one, are passed on as they come.
inline constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20;

/// Reads both directions of one connection.
class ConnectionReader {
 public:
  virtual ~ConnectionReader() = default;

  /// The parts that these bytes complete. Parts and rest are the stream, byte by byte.
  virtual std::vector<Part> add(bool to_acceptor, std::string_view bytes) = 0;
  /// What is left at the end of a direction.
  virtual std::string rest(bool to_acceptor) = 0;
};

struct Protocol {
  std::string_view name;
  std::vector<std::string> kinds;
  std::unique_ptr<ConnectionReader> (*make_reader)();
};

/// The names that scenarios use.
std::vector<std::string_view> protocol_names();
/// `number` counts these names.
const Protocol& protocol(std::size_t number);

}  // namespace dissensus::protocols
